import { RankedQueue, ThreadFailure, ThreadPool, workerModule } from '@tidemark/worker-threads';
import { ExpressionError } from '../expression.ts';
import type { Variable } from '../values.ts';
import type { Shape } from './shape.ts';
import type { WorkerInput } from './shape-worker.ts';
import type { BatchRows, ShapedBatch } from './shaped-batch.ts';

export type { ShapedBatch } from './shaped-batch.ts';

const MODULE = workerModule('./shape-worker', import.meta.url);
const HEAP_MB = 128;
/** Time for the start of the thread, ms. */
const START_MS = 15_000;
/** Time for 100 rows, ms. */
const MS_PER_100_ROWS = 1_000;

/** Applies a shape to batches of rows in a worker thread, so that no expression blocks the event loop or exhausts the memory of the process. Use one runner per export; close it after use. */
export class ShapeRunner {
  readonly #thread: ThreadPool<BatchRows, ShapedBatch>;
  /** The reason after which the runner can not be used. */
  #failure: ExpressionError | undefined;

  /** @param shape a shape that `compileShape` accepts with these variables */
  constructor(shape: Shape, variables: readonly Variable[]) {
    const workerData: WorkerInput = { shape, variables };
    this.#thread = new ThreadPool({
      module: MODULE,
      workerData,
      threads: 1,
      life: { kind: 'stateful' },
      limits: { heapMb: HEAP_MB, startMs: START_MS },
      queue: new RankedQueue(),
      maxWaiting: 1,
    });
  }

  /**
   * Shapes a batch of at most 1,000 rows. Batches run one at a time.
   * @throws ExpressionError if the batch takes longer than 1 s per 100 rows, or more memory than its worker has; the runner can not be used again
   */
  async run(rows: BatchRows): Promise<ShapedBatch> {
    if (this.#failure !== undefined) throw this.#failure;
    const limitMs = Math.max(1, Math.ceil(rows.length / 100)) * MS_PER_100_ROWS;
    const limit = { clock: 'wall', ms: limitMs } as const;
    try {
      return await this.#thread.run({ order: 0, post: () => ({ request: rows, limit }) });
    } catch (error) {
      if (!(error instanceof ThreadFailure)) throw error;
      this.#failure = new ExpressionError(reasonOf(error, rows.length, limitMs));
      throw this.#failure;
    }
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}

function reasonOf({ kind, message }: ThreadFailure, rows: number, limitMs: number): string {
  if (kind === 'start') return 'the worker of the shape did not start in time';
  if (kind === 'time') return `the shape took longer than ${limitMs} ms for ${rows} rows; simplify its expressions`;
  if (kind === 'closed') return 'the shape was closed';
  return `the shape ended its worker: ${message.slice(0, 200)}`;
}
