import { RankedQueue, ThreadFailure, ThreadPool, workerModule } from '@tidemark/worker-threads';
import { outOfTime } from '../markup/compare-markup.ts';
import type { MarkupDelta } from '../markup/markup-delta.ts';
import type { SuggestedSelector } from '../selectors/suggest-selector.ts';
import type { MarkupResult, MarkupTask } from './markup-worker.ts';

export interface MarkupPoolOptions {
  readonly threads: number;
  /** Time limit of a task, ms; then its thread is terminated. */
  readonly timeoutMs?: number;
  /** Maximum time in the queue, ms. */
  readonly maxWaitMs?: number;
  readonly maxWaiting?: number;
  readonly heapMb?: number;
}

/** Share of the time limit after which a comparison returns its partial result itself. */
const WORKER_SHARE = 0.8;
/** Time for the start of a thread, ms. */
const START_MS = 15_000;
const IDLE_MS = 60_000;

const MODULE = workerModule('./markup-worker', import.meta.url);

/**
 * Compares markup and suggests selectors on worker threads. Every task gets a result: one that exceeds its limits, or
 * finds no free thread, is reported as out_of_time.
 */
export class MarkupPool {
  readonly #pool: ThreadPool<MarkupTask, MarkupResult>;
  readonly #timeoutMs: number;
  readonly #maxWaitMs: number;

  constructor({ threads, timeoutMs = 5_000, maxWaitMs = 5_000, maxWaiting = 50, heapMb = 512 }: MarkupPoolOptions) {
    this.#timeoutMs = timeoutMs;
    this.#maxWaitMs = maxWaitMs;
    this.#pool = new ThreadPool({
      module: MODULE,
      threads,
      life: { kind: 'on_demand', idleMs: IDLE_MS },
      limits: { heapMb, startMs: START_MS },
      queue: new RankedQueue(),
      maxWaiting,
    });
  }

  /** As `compareMarkup`. Never rejects. */
  async compare(before: string, after: string): Promise<MarkupDelta> {
    const deadlineMs = this.#timeoutMs * WORKER_SHARE;
    const result = await this.#run({ kind: 'compare', before, after, deadlineMs });
    return result?.kind === 'compare' ? result.delta : outOfTime();
  }

  /** As `suggestSelector`; undefined also after the time limit. Never rejects. */
  async suggest(
    before: readonly string[],
    after: readonly string[],
    selector: string,
  ): Promise<SuggestedSelector | undefined> {
    const result = await this.#run({ kind: 'suggest', before, after, selector });
    return result?.kind === 'suggest' ? result.suggestion : undefined;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #run(request: MarkupTask): Promise<MarkupResult | undefined> {
    const limit = { clock: 'wall', ms: this.#timeoutMs } as const;
    try {
      return await this.#pool.run({
        order: 0,
        post: () => ({ request, limit }),
        dropSignal: AbortSignal.timeout(this.#maxWaitMs),
      });
    } catch (error) {
      if (error instanceof ThreadFailure) return undefined;
      throw error;
    }
  }
}
