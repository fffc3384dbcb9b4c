import { Worker } from 'node:worker_threads';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { AppError } from '@tidemark/errors';
import type { PageDelta } from '../domain/page-delta.ts';
import type { IsVolatile, Readings } from './block-changes.ts';
import { COMPARISON_MS } from './compare-pages.ts';
import type { CompareMessage, CompareTask } from './compare-worker.ts';
import { degradedDelta } from './degraded-delta.ts';

interface Waiting {
  readonly task: CompareTask;
  readonly readings: Readings;
  readonly resolve: (delta: PageDelta) => void;
}

interface Comparer {
  readonly worker: Worker;
  /** Loaded: a comparison's time begins when it is begun, not while its thread starts. */
  isReady: boolean;
  current: (Waiting & { readonly timer: NodeJS.Timeout }) | undefined;
}

export interface ComparePoolOptions {
  readonly threads: number;
  /** Milliseconds one comparison may take before its thread is ended. */
  readonly deadlineMs?: number;
  readonly heapMb?: number;
  /** Comparisons that may wait for a thread. */
  readonly maxWaiting?: number;
}

/** A thread gives up by itself after this share of the time, so that it need not be ended. */
const OWN_SHARE = 0.8;

const SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(SOURCE ? './compare-worker.ts' : './compare-worker.js', import.meta.url);

/**
 * Threads that compare pages. Every comparison is answered: a pair that hangs or exhausts its thread costs that thread, which is replaced, and
 * gets the degraded answer.
 */
export class ComparePool {
  readonly #options: Required<ComparePoolOptions>;
  readonly #comparers = new Set<Comparer>();
  readonly #ending = new Set<Promise<number>>();
  readonly #waiting: Waiting[] = [];
  #nextId = 1;
  #closed = false;

  constructor(options: ComparePoolOptions) {
    this.#options = { deadlineMs: COMPARISON_MS, heapMb: 512, maxWaiting: 1_000, ...options };
    for (let i = 0; i < options.threads; i += 1) this.#spawn();
  }

  /** @throws AppError `unavailable` where too many wait already, or the pool is closed */
  compare(before: PageBlocks, after: PageBlocks, volatile?: IsVolatile): Promise<PageDelta> {
    if (this.#closed || this.#waiting.length >= this.#options.maxWaiting)
      throw new AppError('unavailable', 'too many pages wait to be compared');
    const readings: Readings = { before, after, isVolatile: volatile ?? (() => false) };
    const task: CompareTask = {
      id: this.#nextId++,
      before,
      after,
      volatileBefore: volatile ? placesIn(before, volatile) : [],
      volatileAfter: volatile ? placesIn(after, volatile) : [],
      deadlineMs: this.#options.deadlineMs * OWN_SHARE,
    };
    return new Promise((resolve) => {
      this.#waiting.push({ task, readings, resolve });
      this.#pump();
    });
  }

  #spawn(): void {
    const worker = new Worker(WORKER, {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      execArgv: SOURCE ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] : [],
    });
    // Comparing must not keep a process alive that has nothing else to do.
    worker.unref();
    const comparer: Comparer = { worker, isReady: false, current: undefined };
    this.#comparers.add(comparer);
    worker.on('message', (message: CompareMessage) => this.#hear(comparer, message));
    worker.on('error', () => this.#lost(comparer));
    worker.on('exit', () => this.#lost(comparer));
  }

  #hear(comparer: Comparer, message: CompareMessage): void {
    if ('ready' in message) comparer.isReady = true;
    else if (comparer.current?.task.id === message.id) {
      clearTimeout(comparer.current.timer);
      comparer.current.resolve(message.delta);
      comparer.current = undefined;
    }
    this.#pump();
  }

  #lost(comparer: Comparer): void {
    if (!this.#comparers.delete(comparer)) return;
    const ending = comparer.worker.terminate().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    const { current } = comparer;
    if (current !== undefined) {
      clearTimeout(current.timer);
      current.resolve(degradedDelta(current.readings));
    }
    if (this.#closed) return;
    this.#spawn();
    this.#pump();
  }

  #pump(): void {
    for (const comparer of this.#comparers) {
      if (!comparer.isReady || comparer.current !== undefined) continue;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const timer = setTimeout(() => this.#lost(comparer), this.#options.deadlineMs);
      comparer.current = { ...next, timer };
      comparer.worker.postMessage(next.task);
    }
  }

  /** Ends the threads; what waits is answered degraded. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { readings, resolve } of this.#waiting.splice(0)) resolve(degradedDelta(readings));
    const comparers = [...this.#comparers];
    for (const comparer of comparers) this.#lost(comparer);
    await Promise.all(this.#ending);
  }
}

const placesIn = (reading: PageBlocks, isVolatile: IsVolatile): number[] =>
  reading.blocks.flatMap((block, at) => (isVolatile(block, reading) ? [at] : []));
