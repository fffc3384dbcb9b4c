import type { Worker } from 'node:worker_threads';
import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { AppError } from '@tidemark/errors';
import type { PageDelta } from '../domain/page-delta.ts';
import { COMPARISON_MS } from './compare-pages.ts';
import type { CompareMessage, CompareTask } from './compare-worker.ts';
import { degradedDelta, LARGE_BYTES } from './degraded-delta.ts';
import { openComparer } from './open-comparer.ts';
import { SpareThread } from './spare-thread.ts';
import { bytesOf } from './stored-blocks.ts';

interface Waiting {
  readonly before: PageBlocks;
  readonly after: PageBlocks;
  readonly resolve: (delta: PageDelta | Promise<PageDelta>) => void;
  readonly reject: (error: unknown) => void;
  /** Of a pair somebody waits for: when it was asked for. */
  readonly askedAtMs: number | undefined;
}

interface Current extends Waiting {
  readonly id: number;
  readonly timer: NodeJS.Timeout;
  /** What the thread could say before it began to compare. */
  first?: PageDelta;
}

interface Comparer {
  readonly worker: Worker;
  /** Loaded: a comparison's time begins when it is begun, not while its thread starts. */
  isReady: boolean;
  current: Current | undefined;
}

export interface ComparePoolOptions {
  readonly threads: number;
  /** Milliseconds within which a pair is answered: from when it is begun; of one somebody waits for, from when it is asked for. */
  readonly deadlineMs?: number;
  readonly heapMb?: number;
  /** Comparisons that may wait for a thread. */
  readonly maxWaiting?: number;
}

/** A thread gives up by itself after this share of the time, so that it need not be ended. */
const OWN_SHARE = 0.7;
/** After this share it is ended, and the answer given without it. */
const ENDING_SHARE = 0.97;

/**
 * Threads that compare pages. Every comparison is answered: a pair that hangs or exhausts its thread costs that thread, which is replaced, and
 * gets the degraded answer; one that can't be decoded is refused. Blocks that the project set aside are told and counted nowhere.
 */
export class ComparePool {
  readonly #options: Required<ComparePoolOptions>;
  readonly #comparers = new Set<Comparer>();
  readonly #ending = new Set<Promise<number>>();
  readonly #waiting: Waiting[] = [];
  readonly #spare = new SpareThread();
  #nextId = 1;
  #closed = false;

  constructor(options: ComparePoolOptions) {
    this.#options = { deadlineMs: COMPARISON_MS, heapMb: 512, maxWaiting: 1_000, ...options };
    for (let i = 0; i < options.threads; i += 1) this.#spawn();
  }

  /** In its turn, with all of its time once it is begun. @throws AppError `unavailable` where too many wait already, or the pool is closed */
  compare(before: PageBlocks, after: PageBlocks): Promise<PageDelta> {
    return this.#ask(before, after, undefined);
  }

  /** For somebody who waits: before all that does not, and answered in time whatever else is compared. @throws AppError as `compare` */
  compareNow(before: PageBlocks, after: PageBlocks): Promise<PageDelta> {
    return this.#ask(before, after, performance.now());
  }

  #ask(before: PageBlocks, after: PageBlocks, askedAtMs: number | undefined): Promise<PageDelta> {
    if (this.#closed || this.#waiting.length >= this.#options.maxWaiting)
      throw new AppError('unavailable', 'too many pages wait to be compared');
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { before, after, resolve, reject, askedAtMs };
      const behind = askedAtMs === undefined ? -1 : this.#waiting.findIndex((one) => one.askedAtMs === undefined);
      this.#waiting.splice(behind === -1 ? this.#waiting.length : behind, 0, waiting);
      this.#pump();
      if (askedAtMs !== undefined && this.#waiting.includes(waiting)) this.#endInTime(waiting);
    });
  }

  /** Nobody waits longer because every thread is at another pair. */
  #endInTime(waiting: Waiting): void {
    // What is said of a large pair without comparing it takes some time of its own.
    const share = isLarge(waiting) ? OWN_SHARE : ENDING_SHARE;
    const timer = setTimeout(() => {
      const at = this.#waiting.indexOf(waiting);
      if (at === -1) return;
      this.#waiting.splice(at, 1);
      this.#degrade(waiting);
    }, this.#options.deadlineMs * share);
    timer.unref();
  }

  #spawn(): void {
    const worker = openComparer(this.#options.heapMb);
    const comparer: Comparer = { worker, isReady: false, current: undefined };
    this.#comparers.add(comparer);
    worker.on('message', (message: CompareMessage) => this.#hear(comparer, message));
    worker.on('error', () => this.#lost(comparer));
    worker.on('exit', () => this.#lost(comparer));
  }

  #hear(comparer: Comparer, message: CompareMessage): void {
    const { current } = comparer;
    if ('ready' in message) comparer.isReady = true;
    else if (current?.id === message.id) {
      if (message.isFirst) {
        current.first = message.delta;
        return;
      }
      clearTimeout(current.timer);
      current.resolve(message.delta);
      comparer.current = undefined;
    }
    this.#pump();
  }

  #lost(comparer: Comparer): void {
    if (!this.#comparers.delete(comparer)) return;
    const { current } = comparer;
    if (current !== undefined) {
      clearTimeout(current.timer);
      if (current.first === undefined) this.#degrade(current);
      else current.resolve(current.first);
    }
    const ending = comparer.worker.terminate().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    if (this.#closed) return;
    this.#spawn();
    this.#pump();
  }

  #pump(): void {
    for (const comparer of this.#comparers) {
      while (comparer.isReady && comparer.current === undefined) {
        const next = this.#waiting.shift();
        if (next === undefined) return;
        try {
          this.#begin(comparer, next);
        } catch (error) {
          next.reject(error);
        }
      }
    }
  }

  /** What can be said of a pair without comparing it: at once of a small one, elsewhere of a large one. */
  #degrade(waiting: Waiting): void {
    try {
      const { before, after } = waiting;
      const answer = isLarge(waiting) ? this.#spare.degrade(bytesOf(before), bytesOf(after)) : degraded(waiting);
      waiting.resolve(answer);
    } catch (cause) {
      waiting.reject(new AppError('internal', 'the two readings of the page can’t be compared', { cause }));
    }
  }

  #begin(comparer: Comparer, waiting: Waiting): void {
    const leftMs = this.#options.deadlineMs - (performance.now() - (waiting.askedAtMs ?? performance.now()));
    // Copies, which are handed over: what is stored may be a part of something larger.
    const [before, after] = [new Uint8Array(bytesOf(waiting.before)), new Uint8Array(bytesOf(waiting.after))];
    const id = this.#nextId++;
    const timer = setTimeout(() => this.#lost(comparer), Math.max(0, leftMs * ENDING_SHARE));
    comparer.current = { ...waiting, id, timer };
    const task: CompareTask = { id, before, after, deadlineMs: leftMs * OWN_SHARE };
    comparer.worker.postMessage(task, [before.buffer, after.buffer]);
  }

  /** Ends the threads; what waits is answered degraded, where that is no work. */
  async close(): Promise<void> {
    this.#closed = true;
    const spare = this.#spare.close();
    for (const waiting of this.#waiting.splice(0)) this.#degrade(waiting);
    const comparers = [...this.#comparers];
    for (const comparer of comparers) this.#lost(comparer);
    await Promise.all([spare, ...this.#ending]);
  }
}

const isLarge = ({ before, after }: Waiting): boolean => bytesOf(before).length + bytesOf(after).length > LARGE_BYTES;

const degraded = ({ before, after }: Waiting): PageDelta =>
  degradedDelta({ before, after, isVolatile: (block: Block) => block.isVolatile === true });
