import { Worker } from 'node:worker_threads';
import { AppError } from '@tidemark/errors';
import { type PictureDelta, untold } from './compare-pictures.ts';
import type { PictureMessage, PictureTask } from './picture-worker.ts';

export interface PictureComparerOptions {
  /** Comparisons at once: each takes some 400 MB at most. */
  readonly atOnce?: number;
  /** Milliseconds a comparison may take before its thread is ended. */
  readonly capMs?: number;
  /** Comparisons that may wait, and milliseconds each of them may. */
  readonly maxWaiting?: number;
  readonly waitCapMs?: number;
  readonly heapMb?: number;
}

/** A thread that does not even start is given up after so long. */
const START_MS = 5_000;

const SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(SOURCE ? './picture-worker.ts' : './picture-worker.js', import.meta.url);

/**
 * Compares pictures, each pair on a thread of its own that ends with it: decoded pictures are large, and what held them is given back. A pair that
 * takes too long or exhausts its thread is answered that it was out of time.
 */
export class PictureComparer {
  readonly #options: Required<PictureComparerOptions>;
  readonly #running = new Set<Worker>();
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #taken = 0;
  #closed = false;

  constructor(options: PictureComparerOptions = {}) {
    this.#options = { atOnce: 1, capMs: 5_000, maxWaiting: 8, waitCapMs: 10_000, heapMb: 256, ...options };
  }

  /** @throws AppError `unavailable` where too many wait already, or the wait was too long */
  async compare(task: PictureTask): Promise<PictureDelta> {
    await this.#turn();
    try {
      return this.#closed ? untold('out_of_time') : await this.#work(task);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken -= 1;
      else next.resolve();
    }
  }

  /** Ends the threads; what they were at is answered that it was out of time. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(busy());
    await Promise.all([...this.#running].map((worker) => worker.terminate()));
  }

  async #turn(): Promise<void> {
    const { atOnce, maxWaiting, waitCapMs } = this.#options;
    if (this.#closed || this.#waiting.length >= maxWaiting) throw busy();
    if (this.#taken < atOnce) {
      this.#taken += 1;
      return;
    }
    // Who ends hands its place to the next.
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn);
    const timer = setTimeout(() => {
      const at = this.#waiting.indexOf(turn);
      if (at !== -1) this.#waiting.splice(at, 1);
      turn.reject(busy());
    }, waitCapMs);
    await turn.promise.finally(() => clearTimeout(timer));
  }

  async #work(task: PictureTask): Promise<PictureDelta> {
    const worker = new Worker(WORKER, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb, stackSizeMb: 4 },
      execArgv: SOURCE ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] : [],
    });
    // Comparing must not keep a process alive that has nothing else to do.
    worker.unref();
    this.#running.add(worker);
    const done = Promise.withResolvers<PictureDelta>();
    const giveUp = (): void => done.resolve(untold('out_of_time'));
    let timer = setTimeout(giveUp, START_MS);
    worker.on('message', (message: PictureMessage) => {
      if ('delta' in message) return done.resolve(message.delta);
      clearTimeout(timer);
      timer = setTimeout(giveUp, this.#options.capMs);
    });
    worker.on('error', giveUp);
    worker.on('exit', giveUp);
    const delta = await done.promise;
    clearTimeout(timer);
    await worker.terminate();
    this.#running.delete(worker);
    return delta;
  }
}

const busy = (): AppError =>
  new AppError('unavailable', 'too many pictures wait to be compared', { retryAfterSeconds: 5 });
