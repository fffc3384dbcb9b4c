import { AppError } from '@tidemark/errors';
import { RankedQueue, ThreadFailure, ThreadPool, workerModule } from '@tidemark/worker-threads';
import type { BlameTask } from './blame-worker.ts';

/** Time limit of a task, ms: each of its versions has a limit of its own. */
const TASK_MS = 10_000;
/** Time for the start of a thread, ms. */
const START_MS = 15_000;
const IDLE_MS = 60_000;
const HEAP_MB = 512;
const MAX_WAITING = 50;

const MODULE = workerModule('./blame-worker', import.meta.url);

/** Follows the texts of pages through their versions, on a worker thread. */
export class BlamePool {
  readonly #pool = new ThreadPool<BlameTask, Uint8Array>({
    module: MODULE,
    threads: 1,
    life: { kind: 'on_demand', idleMs: IDLE_MS },
    limits: { heapMb: HEAP_MB, startMs: START_MS },
    queue: new RankedQueue(),
    maxWaiting: MAX_WAITING,
  });

  /** Returns the encoded state after the versions of a task. @throws AppError unavailable if the task exceeds its limits or finds no thread */
  async follow(task: BlameTask): Promise<Uint8Array> {
    try {
      return await this.#pool.run({ order: 0, post: () => ({ request: task, limit: { clock: 'wall', ms: TASK_MS } }) });
    } catch (cause) {
      if (!(cause instanceof ThreadFailure)) throw cause;
      throw new AppError('unavailable', 'the history of the page took too long to compute; repeat the request later', {
        cause,
      });
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
