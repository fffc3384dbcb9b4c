import { Worker } from 'node:worker_threads';
import { AppError } from '@tidemark/errors';
import { type PictureDelta, unknownDelta } from './compare-pictures.ts';
import type { PictureMessage, PictureTask } from './picture-worker.ts';

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

const IS_SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(IS_SOURCE ? './picture-worker.ts' : './picture-worker.js', import.meta.url);

/**
 * Compares pictures, each pair on its own thread, so that the memory of decoded pictures is returned. A pair that
 * exceeds its limits is reported as out_of_time.
 */
export class PictureComparer {
  readonly #options: Required<PictureComparerOptions>;
  readonly #workers = new Set<Worker>();
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #running = 0;
  #closed = false;

  constructor(options: PictureComparerOptions = {}) {
    this.#options = { maxConcurrent: 1, timeoutMs: 5_000, maxWaiting: 8, maxWaitMs: 10_000, heapMb: 256, ...options };
  }

  /** @throws AppError `unavailable` if the queue is full or the wait too long */
  async compare(task: PictureTask): Promise<PictureDelta> {
    await this.#acquire();
    try {
      return this.#closed ? unknownDelta('out_of_time') : await this.#runInWorker(task);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next.resolve();
    }
  }

  /** Terminates the threads; their pairs are reported as out_of_time. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(overloaded());
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  async #acquire(): Promise<void> {
    const { maxConcurrent, maxWaiting, maxWaitMs } = this.#options;
    if (this.#closed || this.#waiting.length >= maxWaiting) throw overloaded();
    if (this.#running < maxConcurrent) {
      this.#running += 1;
      return;
    }
    // A finished comparison passes its slot to the next in the queue.
    const acquire = Promise.withResolvers<void>();
    this.#waiting.push(acquire);
    const timer = setTimeout(() => {
      const at = this.#waiting.indexOf(acquire);
      if (at !== -1) this.#waiting.splice(at, 1);
      acquire.reject(overloaded());
    }, maxWaitMs);
    await acquire.promise.finally(() => clearTimeout(timer));
  }

  async #runInWorker(task: PictureTask): Promise<PictureDelta> {
    const worker = new Worker(WORKER, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb, stackSizeMb: 4 },
      execArgv: IS_SOURCE ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] : [],
    });
    // The thread must not keep the process alive.
    worker.unref();
    this.#workers.add(worker);
    const done = Promise.withResolvers<PictureDelta>();
    const timeOut = (): void => done.resolve(unknownDelta('out_of_time'));
    let timer = setTimeout(timeOut, START_MS);
    worker.on('message', (message: PictureMessage) => {
      if ('delta' in message) return done.resolve(message.delta);
      clearTimeout(timer);
      timer = setTimeout(timeOut, this.#options.timeoutMs);
    });
    worker.on('error', timeOut);
    worker.on('exit', timeOut);
    const delta = await done.promise;
    clearTimeout(timer);
    await worker.terminate();
    this.#workers.delete(worker);
    return delta;
  }
}

const overloaded = (): AppError =>
  new AppError('unavailable', 'too many screenshots are queued for comparison', { retryAfterSeconds: 5 });
