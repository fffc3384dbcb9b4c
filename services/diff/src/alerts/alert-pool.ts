import { RankedQueue, ThreadFailure, ThreadPool, workerModule } from '@tidemark/worker-threads';
import type { AlertTask } from './alert-worker.ts';
import type { Evaluation } from './evaluate-rules.ts';

/** Time of one task of at most 1,000 entries, ms. */
const TASK_MS = 1_000;
/** Time for the start of a thread, ms. */
const START_MS = 15_000;
const IDLE_MS = 60_000;
const HEAP_MB = 256;
const MAX_WAITING = 50;

const MODULE = workerModule('./alert-worker', import.meta.url);

/** Evaluates rules on a worker thread, so that no expression blocks a record or exhausts the memory of the process. */
export class AlertPool {
  readonly #pool = new ThreadPool<AlertTask, Evaluation>({
    module: MODULE,
    threads: 1,
    life: { kind: 'on_demand', idleMs: IDLE_MS },
    limits: { heapMb: HEAP_MB, startMs: START_MS },
    queue: new RankedQueue(),
    maxWaiting: MAX_WAITING,
  });

  /** Evaluates all rules; undefined: they exceed the limits together. */
  async evaluate(task: AlertTask): Promise<Evaluation | undefined> {
    try {
      return await this.#pool.run({ order: 0, post: () => ({ request: task, limit: { clock: 'wall', ms: TASK_MS } }) });
    } catch (error) {
      if (error instanceof ThreadFailure && error.kind !== 'closed') return undefined;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
