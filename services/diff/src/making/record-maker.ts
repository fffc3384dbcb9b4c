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
import { FileSpool } from '../record/spool.ts';
import { findBreaks } from '../selectors/find-breaks.ts';
import type { KnownStore } from '../store/known-store.ts';
import { recordSink } from '../store/record-sink.ts';
import type { Claim, RecordStore, RunFacts } from '../store/record-store.ts';
import { gatherPages, isWhollyListed } from './gather-pages.ts';
import { makeOpenPage } from './open-page.ts';
import { makeProbePages, seesAsPlainLook } from './probe-pages.ts';
import { type RunKnown, requestOf } from './record-request.ts';
import { keptConfig, scopeHash, scopeRules } from './run-scope.ts';

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

/** How long rows that are on their way are left, by how often they were; then a quarter of a minute. */
const LOOK_AGAIN_SECONDS: readonly number[] = [1, 1, 2, 2, 3, 5, 5, 10];
const LOOK_AGAIN_AT_LAST = 15;
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
    const lease = setInterval(() => records.renew(claim).catch(() => false), RENEW_EVERY_MS);
    try {
      await this.#make(claim);
    } catch (error) {
      await this.#leave(claim, error);
    } finally {
      clearInterval(lease);
      await store.dropReadings(claim).catch((error: unknown) => log.warn({ err: error, run: runId }, 'rows were left'));
    }
    return true;
  }

  async #leave(claim: Claim, error: unknown): Promise<void> {
    const { records, log } = this.#deps;
    const { attempts, looks } = claim;
    if (error instanceof AppError && error.code === 'not_found') return records.forget(claim);
    if (error instanceof NotAllThere) return records.lookAgain(claim, LOOK_AGAIN_SECONDS[looks] ?? LOOK_AGAIN_AT_LAST);
    log.warn({ err: error, run: claim.run.runId, attempts }, 'a record could not be made');
    if (attempts >= MOST_ATTEMPTS) return records.fail(claim, `the record could not be made: ${messageOf(error)}`);
    return records.putOff(claim, RETRY_SECONDS[attempts - 1] ?? RETRY_SECONDS.at(-1) ?? 0);
  }

  /** @throws AppError not_found where the run is gone */
  async #make(claim: Claim): Promise<void> {
    const { archive, crawl, store, records } = this.#deps;
    const { run } = claim;
    const call = callFor(run);
    if (!(await isWhollyListed(archive, run, call))) throw new NotAllThere();
    const told = await crawl.call(Crawl.getRun, { id: run.runId, withLog: false, withConfig: true }, call);
    const config: Config = JSON.parse(told.configJson === '' ? '{}' : told.configJson);
    const seed = told.run?.seed ?? '';
    const gathered = await gatherPages({ archive, store }, claim, config, call);
    const baseline = await records.baselineOf(run);
    const breaks = baseline === undefined ? [] : [...findBreaks(baseline.selectors, gathered.selectors).breaks];
    const kept: RunFacts = {
      config: keptConfig(config),
      scopeHash: scopeHash(seed, config),
      inSitemap: gathered.inSitemap,
      startedAt: told.run?.startedAt ?? told.run?.createdAt,
      selectors: gathered.selectors,
      breaks,
    };
    await this.#write({ claim, run, config, seed, baseline, gathered, kept, call });
  }

  async #write(made: Making): Promise<void> {
    const { pool, records, tell } = this.#deps;
    const { claim, run, kept } = made;
    await using spool = new FileSpool(join(tmpdir(), `record-${run.runId}-${crypto.randomUUID()}`));
    const messages = await inTransaction(pool, async (client) => {
      // It is idle while pages are compared or looked at again.
      await client.query(`SET LOCAL idle_in_transaction_session_timeout = '5min'`);
      const ports = await this.#ports(made, client, spool);
      const head = await makeRecord(ports)(requestOf(made));
      if (!(await records.finish(client, claim.token, { head, facts: kept })))
        throw new Error('the record is made by another');
      const ready = [readyFact(run, head, this.#deps.now())];
      await writeFacts(client, ready);
      return ready;
    });
    tell(messages);
  }

  async #ports(
    { claim, run, config, seed, baseline, kept, call }: Making,
    client: pg.PoolClient,
    spool: FileSpool,
  ): Promise<RecordPorts> {
    const { archive, crawl, scrape, store, compare, now, log } = this.#deps;
    const known = () => store.known(run.projectId);
    const current = () => store.readings(claim);
    const scoped = { config, scopeHash: kept.scopeHash };
    const change = { seed, projectId: run.projectId, now: scoped, before: baseline };
    return {
      known,
      current,
      scope: await scopeRules(crawl, change, { known, current }, call),
      open: makeOpenPage(archive, call),
      compare,
      // What was read by other rules is not read anew yet: the page is unverified once.
      rederive: async () => undefined,
      probe: seesAsPlainLook(config)
        ? makeProbePages({ scrape, now: () => now().getTime(), log }, run.runId, call)
        : async () => new Map(),
      learned: () => store.learned(run.projectId),
      spool,
      sink: recordSink(client, run),
    };
  }
}

interface Making extends RunKnown {
  readonly claim: Claim;
  readonly seed: string;
  readonly call: CallContext;
}

const callFor = ({ workspaceId, runId }: RunFinished): CallContext => ({
  requestId: runId,
  caller: { workspaceId, keyId: '', scope: 'write', projects: [] },
});

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
