import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@tidemark/errors';
import type { CreditRequest } from '@tidemark/jobs';
import { afterFailure, isPoison } from '@tidemark/leased-work';
import type { RobotsPolicy } from '@tidemark/robots';
import type { Logger } from '@tidemark/service';
import type { Captured } from '../capture/capture-deps.ts';
import { type Batch, type BatchPage, HELD_MAX, holdSeconds } from '../domain/batch.ts';
import { creditsToLease, type Rung, rungsFor } from '../domain/ladder.ts';
import { unfetchedRow } from '../domain/page-row.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { Budget } from '../domain/ports.ts';
import type { ExtractPage } from '../extraction/extract-page.ts';
import { acquirePermit, type HostLimiter, type Pace } from '../pace/acquire-permit.ts';
import type { BatchStore } from '../store/batch-store.ts';

/** A page, and the key or person that started its batch. */
interface AttributedTask {
  readonly task: PageTask;
  readonly actorId: string;
}

export interface BatchRunnerDeps {
  readonly batches: Pick<BatchStore, 'claim' | 'waiting' | 'renew' | 'retry' | 'hold' | 'release' | 'policy'>;
  readonly findBatch: (jobId: string) => Promise<Batch | undefined>;
  readonly capture: (task: PageTask, creditsLeased: number, budget: Budget) => Promise<Captured>;
  readonly extractPage: ExtractPage;
  /** Stores the bodies and completes the page. */
  readonly finish: (batch: Batch, page: BatchPage, captured: Captured) => Promise<void>;
  readonly leaseCredits: (request: CreditRequest) => Promise<number>;
  readonly robots: { policyOf(url: string): Promise<Pick<RobotsPolicy, 'crawlDelaySeconds'>> };
  readonly exits: { readonly isEmpty: boolean };
  readonly ladder: readonly Rung[];
  readonly pace: HostLimiter;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Time limit of one capture, all engines together, ms. */
const CAPTURE_MS = 120_000;
const RENEW_EVERY_MS = 2_000;
/** Pages that wait longer are returned to the queue, ms. */
const MAX_WAIT_MS = 60_000;
const RECHECK_MS = 250;
const MAX_PAUSE_MS = 2_000;
/** Pause between two fetches of a page, ms. */
const FAILED_PAUSE_MS = 1_000;

const ended = () => new AppError('unavailable', 'the process is ending');
const lost = () => new AppError('conflict', 'the page was cancelled or reassigned to another instance');

/** Returns how long the host of a page is held after a 429 or 503; undefined: not at all. */
const secondsToHold = (page: BatchPage, { requestedWait }: Captured): number | undefined =>
  requestedWait === undefined || page.held >= HELD_MAX ? undefined : holdSeconds(requestedWait.seconds, page.held);

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
      const captured = await this.#captureWithRetries(batch, { page, task }, stopped.signal);
      if (captured === undefined) return;
      const seconds = secondsToHold(page, captured);
      if (seconds !== undefined) return await this.#deps.batches.hold(page.captureId, seconds);
      await this.#deps.finish(batch, page, await this.#deps.extractPage(task, captured, stopped.signal));
    } catch (error) {
      if (!stopped.signal.aborted) await this.#failed(batch, page, error);
    } finally {
      this.#running.delete(page.captureId);
    }
  }

  /** Captures the page, again after each server error as often as configured, each time under a permit. @returns undefined if aborted */
  async #captureWithRetries(
    batch: Batch,
    { page, task }: { readonly page: BatchPage; readonly task: PageTask },
    signal: AbortSignal,
  ): Promise<Captured | undefined> {
    const pace = await this.#paceOf(batch, task);
    for (let retries = 0; ; retries += 1) {
      const permit = await acquirePermit(this.#deps.pace, new URL(task.url).host, pace, signal);
      if (permit === undefined) return undefined;
      const captured = await this.#captureAndHold(page, { task, actorId: batch.actorId }, signal).finally(() =>
        permit.release(),
      );
      if (!isServerError(captured) || retries >= task.options.retries) return captured;
      await sleep(FAILED_PAUSE_MS, undefined, { signal });
    }
  }

  /** Captures the page, and holds its host if the site demands it: before the permit is released, so that no other page is fetched meanwhile. */
  async #captureAndHold(page: BatchPage, work: AttributedTask, signal: AbortSignal): Promise<Captured> {
    const captured = await this.#capture(work, signal);
    const seconds = secondsToHold(page, captured);
    if (seconds !== undefined) await this.#deps.pace.hold(page.host, seconds * 1000);
    return captured;
  }

  async #capture({ task, actorId }: AttributedTask, signal: AbortSignal): Promise<Captured> {
    const { ladder, exits, leaseCredits, capture } = this.#deps;
    const rungs = rungsFor(ladder, task.options, !exits.isEmpty);
    const request = creditsToLease(rungs, task.options.maxCredits);
    const granted = await leaseCredits({ id: task.captureId, workspaceId: task.workspaceId, actorId, ...request });
    const endsAtMs = Date.now() + CAPTURE_MS;
    return capture(task, granted, { remainingMs: () => Math.max(1, endsAtMs - Date.now()), signal });
  }

  /** Returns the slower of the batch's pace and that of robots.txt. */
  async #paceOf({ concurrency, delayMs, options }: Batch, { url }: PageTask): Promise<Pace> {
    if (!options.respectRobots) return { concurrency, delayMs };
    const policy = await this.#deps.robots.policyOf(url).catch(() => undefined);
    return { concurrency, delayMs: Math.max(delayMs, (policy?.crawlDelaySeconds ?? 0) * 1000) };
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
    const said = { verdict: 'blocked', errorCode: 'NETWORK', reason: why, signals: ['given up'] } as const;
    const row = unfetchedRow(taskOf(batch, page), this.#deps.now(), { ...said, signals: [...said.signals] });
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
    while (this.#running.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    clearInterval(this.#timer);
    const aborted = [...this.#running];
    for (const [, stopped] of aborted) stopped.abort(ended());
    await Promise.all(aborted.map(([id]) => this.#handOver(id)));
  }

  /** Returns the page of an interrupted attempt to the queue, so that another instance claims it at once. */
  async #handOver(captureId: string): Promise<void> {
    const { batches, log } = this.#deps;
    await batches.release(captureId).catch((error: unknown) => {
      log.warn(
        { err: error, page: captureId },
        'page could not be handed over; it is claimed again when its lease expires',
      );
    });
  }
}

/** Whether the site failed to answer properly, without naming a time to wait for. */
const isServerError = ({ row, requestedWait }: Captured): boolean =>
  row.httpStatus >= 500 && requestedWait === undefined;

const taskOf = ({ workspaceId, options, id }: Batch, { captureId, url }: BatchPage): PageTask => ({
  jobId: id,
  captureId,
  workspaceId,
  url,
  options,
  session: id,
  isPaced: true,
  priority: 'batch',
});
