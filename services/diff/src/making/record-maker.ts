import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { facts } from '@tidemark/contracts';
import { CrawlServiceService as Crawl } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { AppError, messageOf } from '@tidemark/errors';
import { type CallContext, inTransaction, type Outgoing, outgoing, writeFacts } from '@tidemark/service';
import type pg from 'pg';
import { makeRecord, type RecordHead } from '../record/make-record.ts';
import { mayProbe } from '../record/run-coverage.ts';
import { FileSpool } from '../record/spool.ts';
import { findBreaks } from '../selectors/find-breaks.ts';
import type { Claim, RecordStore, RunFacts } from '../store/record-store.ts';
import { lockLearning, type SecondFetchStore } from '../store/second-fetch-store.ts';
import { pagesToFetchTwice } from '../volatile/second-fetch.ts';
import type { BreakGuard } from './break-guard.ts';
import { gatherPages, isWhollyListed } from './gather-pages.ts';
import { seesAsPlainLook } from './probe-pages.ts';
import { type Making, type PortDeps, recordPorts } from './record-ports.ts';
import { requestOf } from './record-request.ts';
import { keptConfig, scopeHash } from './run-scope.ts';

type Config = Readonly<Record<string, unknown>>;

export interface MakerDeps extends PortDeps {
  readonly pool: pg.Pool;
  readonly records: RecordStore;
  readonly guard: BreakGuard;
  readonly fetches: SecondFetchStore;
  /** From the record of a project's first run to the second fetches of its pages. */
  readonly secondFetchAfterSeconds: number;
  readonly tell: (told: readonly Outgoing[]) => void;
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
      if (claim.attempts > MOST_ATTEMPTS) await records.fail(claim, 'whoever tried to make the record died each time');
      else await this.#make(claim);
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
    const { archive, crawl, store, records, guard } = this.#deps;
    const { run } = claim;
    const call = callFor(run);
    if (!(await isWhollyListed(archive, run, call))) throw new NotAllThere();
    const told = await crawl.call(Crawl.getRun, { id: run.runId, withLog: false, withConfig: true }, call);
    const config: Config = JSON.parse(told.configJson === '' ? '{}' : told.configJson);
    const seed = told.run?.seed ?? '';
    const gathered = await gatherPages({ archive, store }, claim, config, call);
    const baseline = await records.baselineOf(run);
    const breaks = baseline === undefined ? [] : [...findBreaks(baseline.selectors, gathered.selectors).breaks];
    const watch = await guard.watch(gathered.selectors);
    const kept: RunFacts = {
      config: keptConfig(config),
      scopeHash: scopeHash(seed, config),
      inSitemap: gathered.inSitemap,
      startedAt: told.run?.startedAt ?? told.run?.createdAt,
      selectors: gathered.selectors,
      breaks,
    };
    await this.#write({ claim, run, config, seed, baseline, gathered, kept, watch, call });
  }

  async #write(made: Making): Promise<void> {
    const { pool, records, guard, fetches, secondFetchAfterSeconds, tell } = this.#deps;
    const { claim, run, kept } = made;
    await using spool = new FileSpool(join(tmpdir(), `record-${run.runId}-${crypto.randomUUID()}`));
    const messages = await inTransaction(pool, async (client) => {
      // It is idle while pages are compared or looked at again.
      await client.query(`SET LOCAL idle_in_transaction_session_timeout = '5min'`);
      const ports = await recordPorts(this.#deps, made, client, spool);
      await lockLearning(client, run.projectId, 'record');
      const head = await makeRecord(ports)(requestOf(made));
      const finished = await guard.judge(client, { head, facts: kept }, made);
      if (!(await records.finish(client, claim.token, finished))) throw new Error('the record is made by another');
      if (isWorthFetchingTwice(made, head)) {
        const pages = await pagesToFetchTwice(ports.current());
        if (pages.length > 0) await fetches.note(client, run, pages, secondFetchAfterSeconds);
      }
      const ready = [readyFact(run, finished.head, this.#deps.now())];
      await writeFacts(client, ready);
      return ready;
    });
    tell(messages);
  }
}

/** A project's first full run, where a plain look sees what it saw and nothing forbids to fetch more. */
const isWorthFetchingTwice = ({ baseline, config }: Making, { coverage }: RecordHead): boolean =>
  baseline === undefined && !coverage.reasons.includes('listed_only') && mayProbe(coverage) && seesAsPlainLook(config);

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
