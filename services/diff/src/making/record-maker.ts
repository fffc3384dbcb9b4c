import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { facts } from '@tidemark/contracts';
import { CrawlServiceService as Crawl } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { AppError, messageOf } from '@tidemark/errors';
import {
  type CallContext,
  inTransaction,
  type Logger,
  type Outgoing,
  outgoing,
  type Peer,
  writeFacts,
} from '@tidemark/service';
import type pg from 'pg';
import type { PageDelta } from '../domain/page-delta.ts';
import { makeRecord, type RecordHead } from '../record/make-record.ts';
import type { RecordPorts } from '../record/ports.ts';
import type { RecordedRun } from '../record/run-coverage.ts';
import { FileSpool } from '../record/spool.ts';
import { findBreaks, type SelectorBreak } from '../selectors/find-breaks.ts';
import type { KnownStore } from '../store/known-store.ts';
import { recordSink } from '../store/record-sink.ts';
import type { BaselineRecord, Claim, RecordStore, RunFacts } from '../store/record-store.ts';
import { type Gathered, gatherPages } from './gather-pages.ts';
import { makeOpenPage } from './open-page.ts';
import { makeProbePages } from './probe-pages.ts';
import { scopeHash, scopeRules } from './run-scope.ts';

type Config = Readonly<Record<string, unknown>>;

export interface MakerDeps {
  readonly pool: pg.Pool;
  readonly records: RecordStore;
  readonly store: KnownStore;
  readonly archive: Peer;
  readonly crawl: Peer;
  readonly scrape: Peer;
  readonly compare: (before: PageBlocks, after: PageBlocks) => Promise<PageDelta>;
  readonly tell: (told: readonly Outgoing[]) => void;
  readonly now: () => Date;
  readonly log: Logger;
}

/** Rows of pages may be on their way for a while after their run has ended; what is not there by then won't come. */
const WAIT_FOR_ROWS_MS = 60 * 60_000;
const LOOK_AGAIN_SECONDS = 1;
const RETRY_SECONDS: readonly number[] = [2, 10, 30, 120, 600];
/** Some hours of trying. */
const MOST_ATTEMPTS = 24;
const RENEW_EVERY_MS = 8_000;

/** Rows of the run are still on their way. */
class NotAllThere extends Error {}

/**
 * Makes records, each once: from rows that no longer change, in one transaction under the lease that claimed it. A maker that dies leaves
 * nothing behind, and another begins anew.
 */
export class RecordMaker {
  readonly #deps: MakerDeps;

  constructor(deps: MakerDeps) {
    this.#deps = deps;
  }

  /** Makes the next record that is due. @returns whether there was one */
  async makeNext(): Promise<boolean> {
    const { records, store, log } = this.#deps;
    const claim = await records.claim();
    if (claim === undefined) return false;
    const { runId } = claim.run;
    const lease = setInterval(() => records.renew(runId).catch(() => false), RENEW_EVERY_MS);
    try {
      await this.#make(claim);
    } catch (error) {
      await this.#leave(claim, error);
    } finally {
      clearInterval(lease);
      await store.dropReadings(runId).catch((error: unknown) => log.warn({ err: error, run: runId }, 'rows were left'));
    }
    return true;
  }

  async #leave({ run: { runId }, attempts }: Claim, error: unknown): Promise<void> {
    const { records, log } = this.#deps;
    if (error instanceof AppError && error.code === 'not_found') return records.forget(runId);
    if (error instanceof NotAllThere) return records.lookAgain(runId, LOOK_AGAIN_SECONDS);
    log.warn({ err: error, run: runId, attempts }, 'a record could not be made');
    if (attempts >= MOST_ATTEMPTS) return records.fail(runId, `the record could not be made: ${messageOf(error)}`);
    return records.putOff(runId, RETRY_SECONDS[attempts - 1] ?? RETRY_SECONDS.at(-1) ?? 0);
  }

  /** @throws AppError not_found where the run is gone */
  async #make({ run, heardAt }: Claim): Promise<void> {
    const { archive, crawl, store, records, now } = this.#deps;
    const call = callFor(run);
    const told = await crawl.call(Crawl.getRun, { id: run.runId, withLog: false, withConfig: true }, call);
    const config: Config = JSON.parse(told.configJson === '' ? '{}' : told.configJson);
    const seed = told.run?.seed ?? '';
    const gathered = await gatherPages({ archive, store }, run, config, call);
    if (gathered.pages < run.pages && now().getTime() - heardAt.getTime() < WAIT_FOR_ROWS_MS) throw new NotAllThere();
    const baseline = await records.baselineOf(run);
    const breaks = baseline === undefined ? [] : [...findBreaks(baseline.selectors, gathered.selectors).breaks];
    const kept: RunFacts = {
      config,
      scopeHash: scopeHash(seed, config),
      inSitemap: gathered.inSitemap,
      startedAt: told.run?.startedAt ?? told.run?.createdAt,
      selectors: gathered.selectors,
      breaks,
    };
    await this.#write({ run, seed, baseline, gathered, kept, call });
  }

  async #write(made: Making): Promise<void> {
    const { pool, records, tell } = this.#deps;
    const { run, kept } = made;
    await using spool = new FileSpool(join(tmpdir(), `record-${run.runId}-${crypto.randomUUID()}`));
    const messages = await inTransaction(pool, async (client) => {
      // It is idle while pages are compared or looked at again.
      await client.query(`SET LOCAL idle_in_transaction_session_timeout = '5min'`);
      const ports = await this.#ports(made, client, spool);
      const head = await makeRecord(ports)(requestOf(made));
      if (!(await records.finish(client, head, kept))) throw new Error('the record is made by another');
      const ready = [readyFact(run, head, this.#deps.now())];
      await writeFacts(client, ready);
      return ready;
    });
    tell(messages);
  }

  async #ports(
    { run, seed, baseline, kept, call }: Making,
    client: pg.PoolClient,
    spool: FileSpool,
  ): Promise<RecordPorts> {
    const { archive, crawl, scrape, store, compare, now, log } = this.#deps;
    const known = () => store.known(run.projectId);
    const current = () => store.readings(run.runId);
    const change = { seed, now: kept.config, before: baseline?.config };
    return {
      known,
      current,
      scope: await scopeRules(crawl, change, { known, current }, call),
      open: makeOpenPage(archive, call),
      compare,
      // What was read by other rules is not read anew yet: the page is unverified once.
      rederive: async () => undefined,
      probe: makeProbePages({ scrape, now: () => now().getTime(), log }, run.runId, call),
      learned: () => store.learned(run.projectId),
      spool,
      sink: recordSink(client, run),
    };
  }
}

interface Making {
  readonly run: RunFinished;
  readonly seed: string;
  readonly baseline: BaselineRecord | undefined;
  readonly gathered: Gathered;
  readonly kept: RunFacts;
  readonly call: CallContext;
}

const callFor = ({ workspaceId, runId }: RunFinished): CallContext => ({
  requestId: runId,
  caller: { workspaceId, keyId: '', scope: 'write', projects: [] },
});

function requestOf({ run, baseline, gathered, kept }: Making) {
  const isRecrawl = run.trigger === 'recrawl';
  const recorded: RecordedRun = {
    id: run.runId,
    projectId: run.projectId,
    isRecrawl,
    status: run.status,
    stop: run.stop,
    isSeedRead: gathered.isSeedRead,
    isSitemapUnreadable: !isRecrawl && (baseline?.inSitemap ?? 0) > 0 && gathered.inSitemap === 0,
    isRobotsUnreadable: gathered.robotsUnread > 0,
    scopeHash: kept.scopeHash,
    finishedAt: (run.finishedAt ?? new Date(0)).toISOString(),
  };
  return {
    run: recorded,
    ...(baseline === undefined
      ? {}
      : {
          baseline: {
            runId: baseline.runId,
            startedAtMs: baseline.startedAt?.getTime() ?? 0,
            isComplete: baseline.isComplete,
            scopeHash: baseline.scopeHash,
          },
        }),
    selectorBreaks: kept.breaks.length,
    brokenFields: brokenFields(kept.breaks, kept.config, baseline?.config),
    templateChanges: kept.config['template_changes'] === 'each' ? ('each' as const) : ('fold' as const),
  };
}

/** Fields whose selector broke, or is another than it was: what they say now is no news of the page. */
function brokenFields(breaks: readonly SelectorBreak[], now: Config, before: Config | undefined): ReadonlySet<string> {
  const [rules, earlier] = [rulesIn(now), rulesIn(before ?? {})];
  const names = new Set([...rules.keys(), ...earlier.keys()]);
  const broken = [...names].filter(
    (name) => rules.get(name) !== earlier.get(name) || breaks.some(({ setting }) => setting === `fields.${name}`),
  );
  return new Set(broken);
}

function rulesIn({ fields }: Config): Map<string, string> {
  if (typeof fields !== 'object' || fields === null) return new Map();
  return new Map(Object.entries(fields).map(([name, rule]) => [name, JSON.stringify(rule)]));
}

function readyFact({ runId, workspaceId, projectId }: RunFinished, head: RecordHead, madeAt: Date): Outgoing {
  return outgoing(facts.changeReady, `change:${runId}`, {
    runId,
    workspaceId,
    projectId,
    baselineRunId: head.baseline ?? '',
    counts: { ...head.counts },
    isVerdict: head.coverage.verdict,
    reasons: [...head.coverage.reasons],
    madeAt,
  });
}
