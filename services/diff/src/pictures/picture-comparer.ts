import { Worker } from 'node:worker_threads';
import { AppError } from '@tidemark/errors';
import { type PictureDelta, unknownDelta } from './compare-pictures.ts';
import type { PictureMessage, PictureTask } from './picture-worker.ts';

export interface PictureComparerOptions {
  /** Comparisons at once: each takes some 400 MB at most. */
  readonly maxConcurrent?: number;
  /** Milliseconds a comparison may take before its thread is ended. */
  readonly timeoutMs?: number;
  /** Comparisons that may wait, and milliseconds each of them may. */
  readonly maxWaiting?: number;
  readonly maxWaitMs?: number;
  readonly heapMb?: number;
}

/** A thread that does not even start is given up after so long. */
const START_MS = 5_000;

const IS_SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(IS_SOURCE ? './picture-worker.ts' : './picture-worker.js', import.meta.url);

/**
 * Compares pictures, each pair on a thread of its own that ends with it: decoded pictures are large, and what held them is given back. A pair that
 * takes too long or exhausts its thread is answered that it was out of time.
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

  /** @throws AppError `unavailable` where too many wait already, or the wait was too long */
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

  /** Ends the threads; what they were at is answered that it was out of time. */
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
    // Who ends hands its place to the next.
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
    // Comparing must not keep a process alive that has nothing else to do.
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
  new AppError('unavailable', 'too many pictures wait to be compared', { retryAfterSeconds: 5 });
