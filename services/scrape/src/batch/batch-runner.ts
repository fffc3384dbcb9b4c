import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@tidemark/errors';
import { HELD_MAX, holdSeconds } from '@tidemark/host-pace';
import type { CreditRequest } from '@tidemark/jobs';
import { afterFailure, isPoison } from '@tidemark/leased-work';
import type { Logger } from '@tidemark/service';
import type { Captured } from '../capture/capture-deps.ts';
import type { Batch, BatchPage } from '../domain/batch.ts';
import { creditsToLease, type Rung, rungsFor } from '../domain/ladder.ts';
import { unfetchedRow } from '../domain/page-row.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { ExtractPage } from '../extraction/extract-page.ts';
import type { BatchStore } from '../store/batch-store.ts';
import { withoutResponse } from '../visit/host-report.ts';
import { type PageVisitor, UNCONTROLLED, type Visited } from '../visit/page-visitor.ts';

export interface BatchRunnerDeps {
  readonly batches: Pick<BatchStore, 'claim' | 'waiting' | 'renew' | 'retry' | 'hold' | 'postpone' | 'policy'>;
  readonly findBatch: (jobId: string) => Promise<Batch | undefined>;
  readonly visitor: Pick<PageVisitor, 'visit'>;
  readonly extractPage: ExtractPage;
  /** Stores the bodies and completes the page. */
  readonly finish: (batch: Batch, page: BatchPage, captured: Captured) => Promise<void>;
  readonly leaseCredits: (request: CreditRequest) => Promise<number>;
  readonly exits: { readonly isEmpty: boolean };
  readonly ladder: readonly Rung[];
  readonly log: Logger;
  readonly now: () => Date;
}

const RENEW_EVERY_MS = 2_000;
/** Pages that wait longer for their host are returned to the queue, ms. */
const MAX_WAIT_MS = 60_000;
const RECHECK_MS = 250;
const MAX_PAUSE_MS = 2_000;
const ended = () => new AppError('unavailable', 'the process is ending');
const lost = () => new AppError('conflict', 'the page was cancelled or reassigned to another instance');

/** Captures the pages of one host of one batch, at the host's pace, until none is left. */
export class BatchRunner {
  readonly #deps: BatchRunnerDeps;
  readonly #running = new Map<string, AbortController>();
  readonly #timer: NodeJS.Timeout;
  readonly #ending = new AbortController();

  constructor(deps: BatchRunnerDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#renew(), RENEW_EVERY_MS);
  }

  /**
   * Safe to run twice, also concurrently: pages are claimed one by one.
   * @throws AppError unavailable if the process ends while pages are left: another instance continues
   */
  async run(jobId: string, host: string): Promise<void> {
    const batch = await this.#deps.findBatch(jobId);
    if (batch === undefined) return;
    const workers = Array.from({ length: batch.concurrency }, () => this.#runWorker(batch, host));
    await Promise.all(workers);
  }

  /** One worker: captures page after page. */
  async #runWorker(batch: Batch, host: string): Promise<void> {
    const { batches } = this.#deps;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const [page] = await batches.claim(batch.id, host, 1);
      if (page !== undefined) {
        await this.#page(batch, page);
        continue;
      }
      const { left, nextInMs } = await batches.waiting(batch.id, host);
      if (left === 0 || nextInMs > MAX_WAIT_MS) return;
      await sleep(Math.max(RECHECK_MS, Math.min(nextInMs, MAX_PAUSE_MS)), undefined, { signal }).catch(() => undefined);
    }
    throw ended();
  }

  async #page(batch: Batch, page: BatchPage): Promise<void> {
    const stopped = new AbortController();
    this.#running.set(page.captureId, stopped);
    const task = taskOf(batch, page);
    try {
      if (isPoison(page.attempts - 1))
        return await this.#giveUp(batch, page, 'every attempt at this page ended before it was read');
      const visited = await this.#visit(batch, { page, task }, stopped.signal);
      if (visited.kind === 'postponed') await this.#postpone(page, visited);
      if (visited.kind === 'captured')
        await this.#deps.finish(batch, page, await this.#deps.extractPage(task, visited.captured, stopped.signal));
    } catch (error) {
      if (!stopped.signal.aborted) await this.#failed(batch, page, error);
    } finally {
      this.#running.delete(page.captureId);
    }
  }

  #visit(
    { actorId, concurrency, delayMs }: Batch,
    { page, task }: { readonly page: BatchPage; readonly task: PageTask },
    signal: AbortSignal,
  ): Promise<Visited> {
    const { ladder, exits, leaseCredits, visitor } = this.#deps;
    const { captureId: id, workspaceId, options } = task;
    const credits = creditsToLease(rungsFor(ladder, options, !exits.isEmpty), options.maxCredits);
    return visitor.visit({
      kind: 'batch',
      task,
      pace: { concurrency, delayMs },
      leaseCredits: () => leaseCredits({ id, workspaceId, actorId, ...credits }),
      signal,
      waitBudgetMs: MAX_WAIT_MS,
      held: page.held,
      waitsForRobots: true,
      control: UNCONTROLLED,
    });
  }

  /** Returns the page to the queue until its host may be fetched. Only a wait that the host requested of this page counts. */
  async #postpone(page: BatchPage, { wait, captured }: Extract<Visited, { kind: 'postponed' }>): Promise<void> {
    const requested = captured?.requestedWait;
    if (requested !== undefined && page.held < HELD_MAX)
      return this.#deps.batches.hold(page.captureId, holdSeconds(requested, page.held));
    return this.#deps.batches.postpone(page.captureId, Math.max(1, wait.ms / 1_000));
  }

  async #failed(batch: Batch, page: BatchPage, error: unknown): Promise<void> {
    const { log, batches } = this.#deps;
    log.warn({ err: error, job: page.jobId, page: page.captureId, attempts: page.attempts }, 'page attempt failed');
    const why = error instanceof AppError ? error.message : 'something went wrong on our side';
    try {
      const after = afterFailure(batches.policy, page.attempts);
      if (after.next === 'give_up') await this.#giveUp(batch, page, why);
      else await batches.retry(page.captureId, after.inSeconds);
    } catch (cause) {
      log.warn(
        { err: cause, page: page.captureId },
        'recording a failed page attempt failed, the page will be claimed again',
      );
    }
  }

  /** Ends a page without a capture. Every page of a batch gets a row. */
  async #giveUp(batch: Batch, page: BatchPage, why: string): Promise<void> {
    const row = unfetchedRow(taskOf(batch, page), this.#deps.now(), withoutResponse(why));
    await this.#deps.finish(batch, page, { row, bodies: undefined });
  }

  async #renew(): Promise<void> {
    const ids = [...this.#running.keys()];
    if (ids.length === 0) return;
    try {
      const still = await this.#deps.batches.renew(ids);
      for (const id of ids) if (!still.has(id)) this.#running.get(id)?.abort(lost());
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'renewing page leases failed, will retry');
    }
  }

  /** Aborts a running page. A late result is discarded. */
  stop(captureIds: readonly string[]): void {
    for (const id of captureIds) this.#running.get(id)?.abort(lost());
  }

  async close(): Promise<void> {
    this.#ending.abort();
    const until = Date.now() + 4_000;
    while (this.#running.size > 0 && Date.now() < until) await sleep(50);
    clearInterval(this.#timer);
    const aborted = [...this.#running];
    for (const [, stopped] of aborted) stopped.abort(ended());
    await Promise.all(aborted.map(([id]) => this.#handOver(id)));
  }

  /** Returns the page of an interrupted attempt to the queue, so that another instance claims it at once. */
  async #handOver(captureId: string): Promise<void> {
    const { batches, log } = this.#deps;
    await batches.postpone(captureId, 0).catch((error: unknown) => {
      log.warn(
        { err: error, page: captureId },
        'page could not be handed over; it is claimed again when its lease expires',
      );
    });
  }
}

const taskOf = ({ workspaceId, options, id }: Batch, { captureId, url }: BatchPage): PageTask => ({
  jobId: id,
  captureId,
  workspaceId,
  url,
  options,
  session: id,
  priority: 'batch',
});
