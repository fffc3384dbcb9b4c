import { Worker } from 'node:worker_threads';
import { ExpressionError } from '../expression.ts';
import type { Variable } from '../values.ts';
import type { Shape } from './shape.ts';
import type { BatchMessage, ShapedBatch, WorkerMessage } from './shaped-batch.ts';

export type { ShapedBatch } from './shaped-batch.ts';

const IS_SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(IS_SOURCE ? './shape-worker.ts' : './shape-worker.js', import.meta.url);
const HEAP_MB = 128;
/** Time for the start of the thread, ms. */
const START_MS = 15_000;
/** Time for 100 rows, ms. */
const MS_PER_100_ROWS = 1_000;

/** Applies a shape to batches of rows in a worker thread, so that no expression blocks the event loop or exhausts the memory of the process. Use one runner per export; close it after use. */
export class ShapeRunner {
  readonly #worker: Worker;
  readonly #ready: Promise<void>;
  #nextId = 1;
  #pending:
    | { readonly id: number; readonly resolve: (batch: ShapedBatch) => void; readonly reject: (error: Error) => void }
    | undefined;
  #failure: Error | undefined;

  /** @param shape a shape that `compileShape` accepts with these variables */
  constructor(shape: Shape, variables: readonly Variable[]) {
    this.#worker = new Worker(WORKER, {
      workerData: { shape, variables },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      execArgv: IS_SOURCE ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] : [],
    });
    this.#worker.unref();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ready = promise;
    this.#worker.on('message', (message: WorkerMessage) => {
      if ('ready' in message) resolve();
      else if (this.#pending?.id === message.id) this.#pending.resolve(message.batch);
    });
    const fail = (error: Error): void => {
      this.#failure ??= error;
      this.#pending?.reject(this.#failure);
      resolve();
    };
    this.#worker.on('error', (error) => fail(new ExpressionError(`the shape ended its worker: ${describe(error)}`)));
    this.#worker.on('exit', () => fail(new ExpressionError('the shape was closed')));
  }

  /**
   * Shapes a batch of at most 1,000 rows. Batches run one at a time.
   * @throws ExpressionError if the batch takes longer than 1 s per 100 rows, or more memory than its worker has; the runner can not be used again
   */
  async run(rows: BatchMessage['rows']): Promise<ShapedBatch> {
    await within(this.#ready, START_MS, () => this.#stop('the worker of the shape did not start in time'));
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#pending !== undefined) throw new Error('the runner is shaping another batch');
    const limitMs = Math.max(1, Math.ceil(rows.length / 100)) * MS_PER_100_ROWS;
    const id = this.#nextId++;
    const shaped = new Promise<ShapedBatch>((resolve, reject) => {
      this.#pending = { id, resolve, reject };
      this.#worker.postMessage({ id, rows });
    });
    const stop = () =>
      this.#stop(`the shape took longer than ${limitMs} ms for ${rows.length} rows; simplify its expressions`);
    return within(shaped, limitMs, stop).finally(() => {
      this.#pending = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #stop(reason: string): void {
    this.#failure ??= new ExpressionError(reason);
    this.#pending?.reject(this.#failure);
    void this.#worker.terminate();
  }
}

async function within<T>(work: Promise<T>, ms: number, onTimeout: () => void): Promise<T> {
  const timer = setTimeout(onTimeout, ms);
  return work.finally(() => clearTimeout(timer));
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : String(error);
}
