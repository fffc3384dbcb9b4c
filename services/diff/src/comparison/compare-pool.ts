import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { AppError } from '@tidemark/errors';
import { type Posting, RankedQueue, ThreadFailure, ThreadPool, workerModule } from '@tidemark/worker-threads';
import type { PageDelta } from '../domain/page-delta.ts';
import { COMPARISON_MS } from './compare-pages.ts';
import type { CompareTask } from './compare-worker.ts';
import { degradedDelta, LARGE_BYTES } from './degraded-delta.ts';
import { bytesOf } from './stored-blocks.ts';

interface Pair {
  readonly before: PageBlocks;
  readonly after: PageBlocks;
}

export interface ComparePoolOptions {
  readonly threads: number;
  /** Time limit of a pair, ms: from its start, or for an interactive pair from the request. */
  readonly deadlineMs?: number;
  readonly heapMb?: number;
  /** Maximum queue length. */
  readonly maxWaiting?: number;
}

/** Ranks in the queue: interactive pairs are compared before the pairs of records. */
const INTERACTIVE = 0;
const BACKGROUND = 1;
/** Share of the time limit after which a thread returns a degraded result itself and need not be terminated. */
const WORKER_SHARE = 0.7;
/** Share of the time limit after which the thread is terminated and the pair degraded. */
const TERMINATE_SHARE = 0.97;
/** Time for the start of a thread, ms. */
const START_MS = 15_000;
/** Time limit of a large pair that is only degraded, ms, and the maximum number of those that wait. */
const DEGRADE_MS = 5_000;
const MAX_DEGRADING = 8;
const DEGRADE_HEAP_MB = 512;

const MODULE = workerModule('./compare-worker', import.meta.url);

/**
 * Compares pages on worker threads. Every comparison gets a result: a pair that hangs or exhausts its thread gets a
 * degraded result, and the thread is replaced. Undecodable pairs are rejected. Blocks marked volatile are listed but
 * not counted.
 */
export class ComparePool {
  readonly #deadlineMs: number;
  readonly #pool: ThreadPool<CompareTask, PageDelta, PageDelta>;
  /** Degrades large pairs one after the other, each on its own thread, so that the event loop is not blocked. */
  readonly #degrading: ThreadPool<CompareTask, PageDelta, PageDelta>;

  constructor({ threads, deadlineMs = COMPARISON_MS, heapMb = 512, maxWaiting = 1_000 }: ComparePoolOptions) {
    this.#deadlineMs = deadlineMs;
    this.#pool = new ThreadPool({
      module: MODULE,
      threads,
      life: { kind: 'kept' },
      limits: { heapMb, startMs: START_MS },
      queue: new RankedQueue(),
      maxWaiting,
    });
    this.#degrading = new ThreadPool({
      module: MODULE,
      threads: 1,
      life: { kind: 'per_task' },
      limits: { heapMb: DEGRADE_HEAP_MB, startMs: START_MS },
      queue: new RankedQueue(),
      maxWaiting: MAX_DEGRADING,
    });
  }

  /**
   * Compares a pair in FIFO order; its time limit starts when it runs. @throws AppError `unavailable` if the queue is
   * full or the pool is closed
   */
  compare(before: PageBlocks, after: PageBlocks): Promise<PageDelta> {
    const pair: Pair = { before, after };
    return this.#compare(pair, BACKGROUND, () => this.#posting(pair, this.#deadlineMs), undefined);
  }

  /** Compares an interactive pair ahead of the FIFO queue; its time limit starts now. @throws AppError as `compare` */
  compareNow(before: PageBlocks, after: PageBlocks): Promise<PageDelta> {
    const pair: Pair = { before, after };
    const deadlineAtMs = performance.now() + this.#deadlineMs;
    const posting = () => this.#posting(pair, Math.max(0, deadlineAtMs - performance.now()));
    // Degrading a large pair takes time itself.
    const waitMs = this.#deadlineMs * (isLarge(pair) ? WORKER_SHARE : TERMINATE_SHARE);
    return this.#compare(pair, INTERACTIVE, posting, AbortSignal.timeout(Math.round(waitMs)));
  }

  async #compare(
    pair: Pair,
    order: number,
    post: () => Posting<CompareTask>,
    dropSignal: AbortSignal | undefined,
  ): Promise<PageDelta> {
    let interim: PageDelta | undefined;
    const onInterim = (delta: PageDelta): void => {
      interim = delta;
    };
    try {
      return await this.#pool.run({ order, post, dropSignal, onInterim });
    } catch (error) {
      if (!(error instanceof ThreadFailure)) throw error;
      if (error.kind === 'full') throw new AppError('unavailable', 'too many pages are queued for comparison');
      if (error.kind === 'closed') throw new AppError('unavailable', 'the comparison service is shutting down');
      return interim ?? (await this.#degrade(pair));
    }
  }

  /** Copies are transferred: the stored bytes may be part of a larger buffer. */
  #posting({ before, after }: Pair, remainingMs: number): Posting<CompareTask> {
    const [old, now] = [new Uint8Array(bytesOf(before)), new Uint8Array(bytesOf(after))];
    return {
      request: { before: old, after: now, deadlineMs: remainingMs * WORKER_SHARE },
      limit: { clock: 'wall', ms: remainingMs * TERMINATE_SHARE },
      transfer: [old.buffer, now.buffer],
    };
  }

  /** Returns a degraded result: computed here for a small pair, on another thread for a large one. */
  async #degrade(pair: Pair): Promise<PageDelta> {
    try {
      return isLarge(pair) ? await this.#degradeOnThread(pair) : degraded(pair);
    } catch (cause) {
      if (cause instanceof ThreadFailure && (cause.kind === 'full' || cause.kind === 'closed'))
        throw new AppError('unavailable', 'too many large pages are queued for comparison');
      throw new AppError('internal', 'the two readings of the page cannot be compared', { cause });
    }
  }

  #degradeOnThread({ before, after }: Pair): Promise<PageDelta> {
    const request: CompareTask = {
      before: bytesOf(before),
      after: bytesOf(after),
      deadlineMs: DEGRADE_MS,
      onlyDegraded: true,
    };
    const limit = { clock: 'wall', ms: DEGRADE_MS } as const;
    return this.#degrading.run({ order: BACKGROUND, post: () => ({ request, limit }) });
  }

  /** Terminates the threads. Pairs that run or wait are rejected as unavailable. */
  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#degrading.close()]);
  }
}

const isLarge = ({ before, after }: Pair): boolean => bytesOf(before).length + bytesOf(after).length > LARGE_BYTES;

const degraded = ({ before, after }: Pair): PageDelta =>
  degradedDelta({ before, after, isVolatile: (block: Block) => block.isVolatile === true });
