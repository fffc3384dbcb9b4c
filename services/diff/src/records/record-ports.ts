import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { CallContext, Logger, Peer } from '@tidemark/service';
import type pg from 'pg';
import type { RecordAlerts } from '../alerts/record-alerts.ts';
import type { PageDelta } from '../domain/page-delta.ts';
import type { PageContent, PageReading } from '../domain/page-reading.ts';
import { makeLoadContent } from '../readings/load-captures.ts';
import { makeRecapturePage } from '../readings/recapture-page.ts';
import { RecapturedContents } from '../readings/recaptured-contents.ts';
import { captureOptionsOf, type RunCaptureOptions, readingContextOf } from '../readings/run-capture-options.ts';
import type { KnownPageStore } from '../store/known-page-store.ts';
import { decodeContent, type RecapturedPageStore } from '../store/recaptured-page-store.ts';
import { recordSink } from '../store/record-sink.ts';
import type { RecordClaim } from '../store/record-store.ts';
import type { RecordPorts, Spool } from './build/ports.ts';
import { readControls } from './control-reader.ts';
import type { RunSnapshot } from './record-request.ts';
import { ReadingRederiver } from './rederive-readings.ts';
import type { ReleaseWatch } from './release-guard.ts';
import { loadRunConfig } from './run-config.ts';
import { scopeRules } from './run-scope.ts';
import { isReproducibleByPlainFetch, MissingPageVerifier } from './verify-missing-pages.ts';

/** Compares the blocks of two readings. */
export type CompareBlocks = (before: PageBlocks, after: PageBlocks) => Promise<PageDelta>;

export interface PortDeps {
  readonly knownPages: KnownPageStore;
  readonly recapturedPages: RecapturedPageStore;
  readonly archive: Peer;
  readonly crawl: Peer;
  readonly scrape: Peer;
  readonly compare: CompareBlocks;
  readonly now: () => Date;
  readonly log: Logger;
}

/** A record being built. */
export interface RecordInProgress extends RunSnapshot {
  readonly claim: RecordClaim;
  readonly seed: string;
  readonly call: CallContext;
  readonly releaseWatch: ReleaseWatch | undefined;
}

/** What a record is written with. */
export interface RecordTargets {
  readonly client: pg.PoolClient;
  readonly spool: Spool;
  readonly alerts: Pick<RecordAlerts, 'entriesWritten'>;
}

/** Connects the sources and sinks of one record: own tables, the archive, scrape, and the transaction of `client`. */
export async function connectRecordPorts(
  deps: PortDeps,
  inProgress: RecordInProgress,
  { client, spool, alerts }: RecordTargets,
): Promise<RecordPorts> {
  const { archive, crawl, scrape, knownPages, recapturedPages, compare, now, log } = deps;
  const { claim, run, config, seed, baseline, metadata, call } = inProgress;
  const known = () => knownPages.listKnownPages(run.projectId);
  const current = () => knownPages.listReadings(claim);
  const currentScope = { config, scopeHash: metadata.scopeHash };
  const scopeChange = { seed, projectId: run.projectId, current: currentScope, previous: baseline };
  const [captureOptions, readingContext] = [captureOptionsOf(config), readingContextOf(run.runId, config)];
  const rederiver =
    captureOptions &&
    new ReadingRederiver({ archive, scrape, now: () => now().getTime(), log }, captureOptions, readingContext, call);
  const contents = new RecapturedContents();
  const verifier = captureOptions && isReproducibleByPlainFetch(config) ? makeVerifier(captureOptions) : undefined;
  const loadCapture = makeLoadContent(archive, call);
  const sink = recordSink(client, run);

  function makeVerifier(captureOptions: RunCaptureOptions): MissingPageVerifier {
    const isInRun = (pageKey: string) => knownPages.hasReading(claim, pageKey);
    const recapturePage = makeRecapturePage({ scrape, log }, captureOptions, readingContext, call);
    return new MissingPageVerifier({ recapturePage, contents, isInRun, now: () => now().getTime() });
  }

  /** Pages are read again by the baseline's configuration; a run whose configuration is gone has no control readings. */
  async function control(lastGoodReadings: readonly PageReading[]): Promise<ReadonlyMap<string, PageReading>> {
    if (baseline === undefined || lastGoodReadings.length === 0) return new Map();
    const earlier = await loadRunConfig(crawl, baseline.runId, call);
    const options = earlier && captureOptionsOf(earlier);
    if (earlier === undefined || options === undefined || !isReproducibleByPlainFetch(earlier)) return new Map();
    const recapturePage = makeRecapturePage({ scrape, log }, options, readingContextOf(run.runId, earlier), call);
    const reader = { baselineRunId: baseline.runId, recapturePage, contents, now: () => now().getTime() };
    return readControls(reader, lastGoodReadings);
  }

  async function loadContent(reading: PageReading): Promise<PageContent | undefined> {
    const rederived = rederiver?.contentOf(reading);
    if (rederived !== undefined) return rederived;
    if (reading.isRecaptured !== true) return loadCapture(reading);
    const recaptured = contents.find(reading.pageId);
    return recaptured === undefined ? recapturedPages.find(run.projectId, reading) : decodeContent(recaptured);
  }

  return {
    knownPages: known,
    currentReadings: current,
    scope: await scopeRules(crawl, scopeChange, { knownPages: known, currentReadings: current }, call),
    loadContent,
    compareBlocks: compare,
    rederive: async (reading, target) => rederiver?.rederive(reading, target),
    verify: async (pages) => (await verifier?.verify(pages)) ?? new Map(),
    control,
    learnedVolatility: () => knownPages.loadVolatility(run.projectId),
    spool,
    sink: {
      ...sink,
      entries: async (entries) => {
        await sink.entries(entries);
        await alerts.entriesWritten(entries);
      },
      knownPages: async (pages) => {
        await sink.knownPages(pages);
        await recapturedPages.replace(client, run.projectId, pages, (pageId) => contents.find(pageId));
      },
    },
  };
}
