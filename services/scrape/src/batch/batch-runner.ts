import { AppError } from '@tidemark/errors';
import { MAX_ATTEMPTS, retryInSeconds } from '@tidemark/jobs';
import type { Logger } from '@tidemark/service';
import type { Captured } from '../capture-deps.ts';
import { type Batch, type BatchPage, HELD_MAX, holdSeconds } from '../domain/batch.ts';
import { creditsToLease, type Rung, rungsFor } from '../domain/ladder.ts';
import { unfetchedRow } from '../domain/page-row.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { Budget } from '../domain/ports.ts';
import type { CreditWish } from '../lease-credits.ts';
import { type Pace, type PaceKeeper, turnAt } from '../pace/host-pace.ts';
import type { BatchStore } from '../store/batch-store.ts';

export interface BatchRunnerDeps {
  readonly batches: BatchStore;
  readonly findBatch: (jobId: string) => Promise<Batch | undefined>;
  readonly capture: (task: PageTask, creditsLeased: number, budget: Budget) => Promise<Captured>;
  /** Stores the bodies and ends the page. */
  readonly finish: (batch: Batch, page: BatchPage, captured: Captured) => Promise<void>;
  readonly leaseCredits: (wish: CreditWish) => Promise<number>;
  readonly robots: { rulesOf(url: string): Promise<{ readonly crawlDelaySeconds: number | undefined }> };
  readonly exits: { readonly isEmpty: boolean };
  readonly ladder: readonly Rung[];
  readonly pace: PaceKeeper;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Milliseconds one capture may take, all engines together. */
const CAPTURE_MS = 120_000;
const RENEW_EVERY_MS = 2_000;
/** Pages that wait longer than this are left to whoever is offered the host then. */
const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 250;

const lost = () => new AppError('conflict', 'the page was cancelled, or is another process’s by now');

/** Fetches the pages of one host of one batch, as fast as the host may be asked, until none is left. */
export class BatchRunner {
  readonly #deps: BatchRunnerDeps;
  readonly #running = new Map<string, AbortController>();
  readonly #timer: NodeJS.Timeout;
  #closing = false;

  constructor(deps: BatchRunnerDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#renew(), RENEW_EVERY_MS);
  }

  /** Safe to do twice, at the same time too: pages are claimed one by one. */
  async run(jobId: string, host: string): Promise<void> {
    const batch = await this.#deps.findBatch(jobId);
    if (batch === undefined) return;
    const hands = Array.from({ length: batch.concurrency }, () => this.#work(batch, host));
    await Promise.all(hands);
  }

  /** One pair of hands: a page after another. */
  async #work(batch: Batch, host: string): Promise<void> {
    const { batches } = this.#deps;
    while (!this.#closing) {
      const [page] = await batches.claim(batch.id, host, 1);
      if (page !== undefined) {
        await this.#page(batch, page);
        continue;
      }
      const { left, nextInMs } = await batches.waiting(batch.id, host);
      if (left === 0 || nextInMs > PATIENCE_MS) return;
      await new Promise((resolve) => setTimeout(resolve, Math.max(LOOK_AGAIN_MS, Math.min(nextInMs, 2_000))));
    }
  }

  async #page(batch: Batch, page: BatchPage): Promise<void> {
    const stopped = new AbortController();
    this.#running.set(page.captureId, stopped);
    const task = taskOf(batch, page);
    try {
      if (page.attempts > MAX_ATTEMPTS)
        return await this.#giveUp(batch, page, 'every attempt at this page ended before it was read');
      const turn = await turnAt(this.#deps.pace, page.host, await this.#paceOf(batch, task), stopped.signal);
      if (turn === undefined) return;
      const captured = await this.#capture(task, stopped.signal).finally(() => turn.done());
      if (captured.askedToWait !== undefined && page.held < HELD_MAX) {
        const seconds = holdSeconds(captured.askedToWait.seconds, page.held);
        await this.#deps.pace.hold(page.host, seconds * 1000);
        await this.#deps.batches.putBack(page.captureId, seconds, true);
        return;
      }
      await this.#deps.finish(batch, page, captured);
    } catch (error) {
      if (!stopped.signal.aborted) await this.#failed(batch, page, error);
    } finally {
      this.#running.delete(page.captureId);
    }
  }

  async #capture(task: PageTask, signal: AbortSignal): Promise<Captured> {
    const { ladder, exits, leaseCredits, capture } = this.#deps;
    const rungs = rungsFor(ladder, task.options, !exits.isEmpty);
    const wish = creditsToLease(rungs, task.options.maxCredits);
    const granted = await leaseCredits({ id: task.captureId, workspaceId: task.workspaceId, ...wish });
    const endsAtMs = Date.now() + CAPTURE_MS;
    return capture(task, granted, { remainingMs: () => Math.max(1, endsAtMs - Date.now()), signal });
  }

  /** The slower of what the batch asks for and what robots.txt does. */
  async #paceOf({ concurrency, delayMs, options }: Batch, { url }: PageTask): Promise<Pace> {
    if (!options.respectRobots) return { concurrency, delayMs };
    const rules = await this.#deps.robots.rulesOf(url).catch(() => undefined);
    return { concurrency, delayMs: Math.max(delayMs, (rules?.crawlDelaySeconds ?? 0) * 1000) };
  }

  async #failed(batch: Batch, page: BatchPage, error: unknown): Promise<void> {
    const { log, batches } = this.#deps;
    log.warn(
      { err: error, job: page.jobId, page: page.captureId, attempts: page.attempts },
      'an attempt at a page failed',
    );
    const why = error instanceof AppError ? error.message : 'something went wrong on our side';
    try {
      if (page.attempts >= MAX_ATTEMPTS) await this.#giveUp(batch, page, why);
      else await batches.putBack(page.captureId, retryInSeconds(page.attempts), false);
    } catch (cause) {
      log.warn(
        { err: cause, page: page.captureId },
        'a failed attempt could not be noted; the page is claimed again later',
      );
    }
  }

  /** A page of a batch always ends with a row. */
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
      this.#deps.log.warn({ err: error }, 'pages could not be kept; the next round tries');
    }
  }

  /** Stops a page under way; what it brings home then changes nothing. */
  stop(captureIds: readonly string[]): void {
    for (const id of captureIds) this.#running.get(id)?.abort(lost());
  }

  async close(): Promise<void> {
    this.#closing = true;
    const until = Date.now() + 4_000;
    while (this.#running.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    clearInterval(this.#timer);
    for (const stopped of this.#running.values()) stopped.abort(new AppError('unavailable', 'the process is ending'));
  }
}

const taskOf = ({ workspaceId, options, id }: Batch, { captureId, url }: BatchPage): PageTask => ({
  jobId: id,
  captureId,
  workspaceId,
  url,
  options,
  session: id,
  isPaced: true,
  lane: 'batch',
});
