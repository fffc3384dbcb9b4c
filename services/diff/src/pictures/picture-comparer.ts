import { AppError } from '@tidemark/errors';
import { RankedQueue, ThreadFailure, ThreadPool, workerModule } from '@tidemark/worker-threads';
import { type PictureDelta, unknownDelta } from './compare-pictures.ts';
import type { PictureTask } from './picture-worker.ts';

export interface PictureComparerOptions {
  /** Maximum number of concurrent comparisons; each takes up to 400 MB. */
  readonly maxConcurrent?: number;
  /** Time limit of a comparison, ms; then its thread is terminated. */
  readonly timeoutMs?: number;
  /** Maximum queue length, and maximum time in the queue, ms. */
  readonly maxWaiting?: number;
  readonly maxWaitMs?: number;
  readonly heapMb?: number;
}

/** Time limit for the start of a thread, ms. */
const START_MS = 5_000;

const MODULE = workerModule('./picture-worker', import.meta.url);

/**
 * Compares pictures, each pair on its own thread, so that the memory of decoded pictures is returned. A pair that
 * exceeds its limits is reported as out_of_time.
 */
export class PictureComparer {
  readonly #pool: ThreadPool<PictureTask, PictureDelta>;
  readonly #timeoutMs: number;
  readonly #maxWaitMs: number;

  constructor(options: PictureComparerOptions = {}) {
    const { maxConcurrent = 1, timeoutMs = 5_000, maxWaiting = 8, maxWaitMs = 10_000, heapMb = 256 } = options;
    this.#timeoutMs = timeoutMs;
    this.#maxWaitMs = maxWaitMs;
    this.#pool = new ThreadPool({
      module: MODULE,
      threads: maxConcurrent,
      life: { kind: 'per_task' },
      limits: { heapMb, startMs: START_MS },
      queue: new RankedQueue(),
      maxWaiting,
    });
  }

  /** @throws AppError `unavailable` if the queue is full, the wait too long or the comparer closed */
  async compare(request: PictureTask): Promise<PictureDelta> {
    const limit = { clock: 'wall', ms: this.#timeoutMs } as const;
    try {
      return await this.#pool.run({
        order: 0,
        post: () => ({ request, limit }),
        dropSignal: AbortSignal.timeout(this.#maxWaitMs),
      });
    } catch (error) {
      if (!(error instanceof ThreadFailure)) throw error;
      if (error.kind === 'full' || error.kind === 'dropped' || error.kind === 'closed') throw overloaded();
      return unknownDelta('out_of_time');
    }
  }

  /** Terminates the threads; their pairs are rejected as unavailable. */
  async close(): Promise<void> {
    await this.#pool.close();
  }
}

const overloaded = (): AppError =>
  new AppError('unavailable', 'too many screenshots are queued for comparison', { retryAfterSeconds: 5 });
