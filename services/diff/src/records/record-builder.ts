import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { events, onOwnBehalf } from '@tidemark/contracts';
import { CrawlServiceService as Crawl } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { AppError, messageOf } from '@tidemark/errors';
import { afterFailure, HeldLeases, isPoison, poisonReason } from '@tidemark/leased-work';
import { fromConfigMessage } from '@tidemark/project-config';
import {
  type CallContext,
  inTransaction,
  type Logger,
  type OutgoingEvent,
  outgoingEvent,
  type Peer,
  writeEvents,
} from '@tidemark/service';
import type pg from 'pg';
import type { AlertPool } from '../alerts/alert-pool.ts';
import { makeRecordAlerts } from '../alerts/record-alerts.ts';
import { mayVerify } from '../coverage/run-coverage.ts';
import { findBreaks } from '../selectors/find-breaks.ts';
import type { KnownPageStore } from '../store/known-page-store.ts';
import type { RecapturedPageStore } from '../store/recaptured-page-store.ts';
import { allowIdleTransaction, type RecordClaim, type RecordStore } from '../store/record-store.ts';
import { lockVolatility, type VolatilityJobStore } from '../store/volatility-job-store.ts';
import { choosePagesToRecapture } from '../volatility/recapture-sample.ts';
import { buildRecord, type RecordHead } from './build/build-record.ts';
import { FileSpool } from './build/comparison-spool.ts';
import { collectReadings, isFullyListed } from './collect-readings.ts';
import { type CompareBlocks, connectRecordPorts, type RecordInProgress } from './record-ports.ts';
import { toRecordRequest } from './record-request.ts';
import type { ReleaseGuard } from './release-guard.ts';
import { scopeHash, storedConfig } from './run-scope.ts';
import { isReproducibleByPlainFetch } from './verify-missing-pages.ts';

export interface RecordBuilderDeps {
  readonly pool: pg.Pool;
  readonly archive: Peer;
  readonly crawl: Peer;
  readonly scrape: Peer;
  readonly compare: CompareBlocks;
  readonly alertPool: Pick<AlertPool, 'evaluate'>;
  readonly records: RecordStore;
  readonly knownPages: KnownPageStore;
  readonly recapturedPages: RecapturedPageStore;
  readonly releaseGuard: ReleaseGuard;
  readonly volatilityJobs: VolatilityJobStore;
  /** Delay between the record of a project's first run and the recapture of its sample pages. */
  readonly recaptureDelaySeconds: number;
  /** Maximum wait for the archive to finish listing a run, ms; default 3,000. */
  readonly listingWaitMs?: number;
  readonly publish: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
  readonly log: Logger;
}

/** Delays while the archive still lists pages of the run, by number of earlier delays; then `MAX_LISTING_DELAY_SECONDS`. */
const LISTING_DELAY_SECONDS: readonly number[] = [1, 1, 2, 2, 3, 5, 5, 10];
const MAX_LISTING_DELAY_SECONDS = 15;
/** Must be well below the lease of `RecordStore`. */
const LEASE_RENEWAL_MS = 8_000;

/** The archive has not listed all pages of the run yet. */
class RunNotListed extends Error {}

/**
 * Builds due records, each exactly once: from rows that no longer change, in one transaction that checks the claim's fencing token. A process
 * that dies leaves no partial record; another instance claims the record when the lease expires.
 */
export class RecordBuilder {
  readonly #deps: RecordBuilderDeps;
  readonly #leases = new HeldLeases();

  constructor(deps: RecordBuilderDeps) {
    this.#deps = deps;
  }

  /** Releases the records that are being built. */
  drain(): Promise<void> {
    return this.#leases.drain();
  }

  /** Claims and builds the next due record. @returns whether one was due */
  async buildNext(): Promise<boolean> {
    const { records, knownPages, log } = this.#deps;
    const claim = await records.claim();
    if (claim === undefined) return false;
    const { runId } = claim.run;
    try {
      const lease = {
        renew: () => records.renewLease(claim),
        everyMs: LEASE_RENEWAL_MS,
        release: () => records.release(claim),
      };
      await this.#leases.hold(lease, () => this.#attempt(claim));
    } catch (error) {
      await this.#handleFailure(claim, error);
    } finally {
      await knownPages
        .deleteReadings(claim)
        .catch((error: unknown) => log.warn({ err: error, run: runId }, 'collected readings not deleted, sweep will'));
    }
    return true;
  }

  async #attempt(claim: RecordClaim): Promise<void> {
    if (isPoison(claim.interruptions)) await this.#deps.records.fail(claim, poisonReason('built the record'));
    else await this.#build(claim);
  }

  /** @throws AppError not_found if the run was deleted; RunNotListed if its pages are not all listed yet */
  async #build(claim: RecordClaim): Promise<void> {
    const inProgress = await this.#prepare(claim);
    const events = await this.#write(inProgress);
    this.#deps.publish(events);
  }

  /** Collects the run's configuration, readings and baseline. */
  async #prepare(claim: RecordClaim): Promise<RecordInProgress> {
    const { archive, crawl, knownPages, records, releaseGuard, listingWaitMs } = this.#deps;
    const { run } = claim;
    const call = callFor(run);
    if (!(await isFullyListed({ archive, listingWaitMs }, run, call))) throw new RunNotListed();
    const found = await crawl.call(Crawl.getRun, { id: run.runId, withLog: false, withConfig: true }, call);
    const config = fromConfigMessage(found.config);
    const seed = found.run?.seed ?? '';
    const baseline = await records.baselineOf(run);
    const settings = { config, baseline: baseline?.selectors ?? [] };
    const collected = await collectReadings({ archive, knownPages }, claim, settings, call);
    const breaks = baseline === undefined ? [] : [...findBreaks(baseline.selectors, collected.selectors).breaks];
    const releaseWatch = await releaseGuard.watchRelease(collected.selectors);
    const metadata = {
      config: storedConfig(config),
      scopeHash: scopeHash(seed, config),
      inSitemap: collected.inSitemap,
      startedAt: found.run?.startedAt ?? found.run?.createdAt,
      selectors: collected.selectors,
      breaks,
    };
    const estimate = found.run?.coverage;
    return { claim, run, config, seed, baseline, collected, metadata, estimate, releaseWatch, call };
  }

  /** Builds and writes the record in one transaction. @returns the events to publish after the commit */
  async #write(inProgress: RecordInProgress): Promise<readonly OutgoingEvent[]> {
    const { pool, records, knownPages, recapturedPages, releaseGuard, volatilityJobs } = this.#deps;
    const { archive, crawl, scrape, compare, alertPool, recaptureDelaySeconds, now, log } = this.#deps;
    const { claim, run, config, baseline, metadata } = inProgress;
    await using spool = new FileSpool(join(tmpdir(), `record-${run.runId}-${crypto.randomUUID()}`));
    return await inTransaction(pool, async (client) => {
      await allowIdleTransaction(client);
      const alerts = makeRecordAlerts(
        { pool: alertPool, client, log },
        { run, config, baselineRunId: baseline?.runId },
      );
      const ports = await connectRecordPorts(
        { archive, crawl, scrape, compare, knownPages, recapturedPages, now, log },
        inProgress,
        { client, spool, alerts },
      );
      await lockVolatility(client, run.projectId, 'shared');
      const head = await buildRecord(ports)(toRecordRequest(inProgress));
      alerts.finish();
      const finished = await releaseGuard.withholdBreaks(client, { head, metadata }, inProgress);
      if (!(await records.finish(client, claim.token, finished))) throw new Error('lease lost to another instance');
      if (isRecaptureUseful(inProgress, head)) {
        const pages = await choosePagesToRecapture(ports.currentReadings());
        if (pages.length > 0) await volatilityJobs.enqueue(client, run, pages, recaptureDelaySeconds);
      }
      const events = [changeReady(run, finished.head, now())];
      await writeEvents(client, events);
      return events;
    });
  }

  async #handleFailure(claim: RecordClaim, error: unknown): Promise<void> {
    const { records, log } = this.#deps;
    const { attempts, notReadyCount } = claim;
    if (error instanceof AppError && error.code === 'not_found') return records.delete(claim);
    if (error instanceof RunNotListed)
      return records.deferUntilListed(claim, LISTING_DELAY_SECONDS[notReadyCount] ?? MAX_LISTING_DELAY_SECONDS);
    log.warn({ err: error, run: claim.run.runId, attempts }, 'building a record failed');
    const after = afterFailure(records.policy, attempts);
    if (after.next === 'give_up') return records.fail(claim, `building the record failed: ${messageOf(error)}`);
    return records.scheduleRetry(claim, after.inSeconds);
  }
}

/** Whether the record is of a project's first full run, which a plain fetch reproduces and which allows further fetches. */
const isRecaptureUseful = ({ baseline, config }: RecordInProgress, { coverage }: RecordHead): boolean =>
  baseline === undefined &&
  !coverage.reasons.includes('listed_only') &&
  mayVerify(coverage) &&
  isReproducibleByPlainFetch(config);

const callFor = ({ workspaceId, runId }: RunFinished): CallContext => ({
  requestId: runId,
  caller: onOwnBehalf('diff', workspaceId),
});

function changeReady({ runId, workspaceId, projectId }: RunFinished, head: RecordHead, madeAt: Date): OutgoingEvent {
  return outgoingEvent(events.changeReady, `change:${runId}`, {
    runId,
    workspaceId,
    projectId,
    baselineRunId: head.baseline ?? undefined,
    counts: { ...head.counts },
    isVerdict: head.coverage.verdict,
    reasons: [...head.coverage.reasons],
    madeAt,
  });
}
