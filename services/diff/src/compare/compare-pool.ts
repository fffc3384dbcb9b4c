import type { Worker } from 'node:worker_threads';
import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { AppError } from '@tidemark/errors';
import type { PageDelta } from '../domain/page-delta.ts';
import { COMPARISON_MS } from './compare-pages.ts';
import type { CompareMessage, CompareTask } from './compare-worker.ts';
import { degradedDelta, LARGE_BYTES } from './degraded-delta.ts';
import { OverflowThread } from './overflow-thread.ts';
import { startCompareWorker } from './start-compare-worker.ts';
import { bytesOf } from './stored-blocks.ts';

interface QueuedPair {
  readonly before: PageBlocks;
  readonly after: PageBlocks;
  readonly resolve: (delta: PageDelta | Promise<PageDelta>) => void;
  readonly reject: (error: unknown) => void;
  /** Set for an interactive pair: time of the request. */
  readonly requestedAtMs: number | undefined;
}

interface RunningPair extends QueuedPair {
  readonly id: number;
  readonly timer: NodeJS.Timeout;
  /** Degraded result that the thread sent before it began to compare. */
  interim?: PageDelta;
}

interface CompareThread {
  readonly worker: Worker;
  /** Loaded. The time of a comparison does not include the start of its thread. */
  isReady: boolean;
  current: RunningPair | undefined;
}

export interface ComparePoolOptions {
  readonly threads: number;
  /** Time limit of a pair, ms: from its start, or for an interactive pair from the request. */
  readonly deadlineMs?: number;
  readonly heapMb?: number;
  /** Maximum queue length. */
  readonly maxWaiting?: number;
}

/** Share of the time limit after which a thread returns a degraded result itself and need not be terminated. */
const WORKER_SHARE = 0.7;
/** Share of the time limit after which the thread is terminated and the pair degraded. */
const TERMINATE_SHARE = 0.97;

/**
 * Worker threads that compare pages. Every comparison gets a result: a pair that hangs or exhausts its thread gets a
 * degraded result, and the thread is replaced. Undecodable pairs are rejected. Blocks marked volatile are listed but
 * not counted.
 */
export class ComparePool {
  readonly #options: Required<ComparePoolOptions>;
  readonly #threads = new Set<CompareThread>();
  readonly #terminating = new Set<Promise<number>>();
  readonly #queued: QueuedPair[] = [];
  readonly #overflow = new OverflowThread();
  #nextId = 1;
  #closed = false;

  constructor(options: ComparePoolOptions) {
    this.#options = { deadlineMs: COMPARISON_MS, heapMb: 512, maxWaiting: 1_000, ...options };
    for (let i = 0; i < options.threads; i += 1) this.#spawn();
  }

  /**
   * Compares a pair in FIFO order; its time limit starts when it runs. @throws AppError `unavailable` if the queue is
   * full or the pool is closed
   */
  compare(before: PageBlocks, after: PageBlocks): Promise<PageDelta> {
    return this.#enqueue(before, after, undefined);
  }

  /** Compares an interactive pair ahead of the FIFO queue; its time limit starts now. @throws AppError as `compare` */
  compareNow(before: PageBlocks, after: PageBlocks): Promise<PageDelta> {
    return this.#enqueue(before, after, performance.now());
  }

  #enqueue(before: PageBlocks, after: PageBlocks, requestedAtMs: number | undefined): Promise<PageDelta> {
    if (this.#closed || this.#queued.length >= this.#options.maxWaiting)
      throw new AppError('unavailable', 'too many pages are queued for comparison');
    return new Promise((resolve, reject) => {
      const queued: QueuedPair = { before, after, resolve, reject, requestedAtMs };
      const insertAt =
        requestedAtMs === undefined ? -1 : this.#queued.findIndex((queued) => queued.requestedAtMs === undefined);
      this.#queued.splice(insertAt === -1 ? this.#queued.length : insertAt, 0, queued);
      this.#dispatch();
      if (requestedAtMs !== undefined && this.#queued.includes(queued)) this.#degradeAtDeadline(queued);
    });
  }

  /** Degrades a queued interactive pair at its deadline if no thread is free by then. */
  #degradeAtDeadline(queued: QueuedPair): void {
    // Degrading a large pair takes time itself.
    const share = isLarge(queued) ? WORKER_SHARE : TERMINATE_SHARE;
    const timer = setTimeout(() => {
      const at = this.#queued.indexOf(queued);
      if (at === -1) return;
      this.#queued.splice(at, 1);
      this.#degrade(queued);
    }, this.#options.deadlineMs * share);
    timer.unref();
  }

  #spawn(): void {
    const worker = startCompareWorker(this.#options.heapMb);
    const thread: CompareThread = { worker, isReady: false, current: undefined };
    this.#threads.add(thread);
    worker.on('message', (message: CompareMessage) => this.#onMessage(thread, message));
    worker.on('error', () => this.#onExit(thread));
    worker.on('exit', () => this.#onExit(thread));
  }

  #onMessage(thread: CompareThread, message: CompareMessage): void {
    const { current } = thread;
    if ('ready' in message) thread.isReady = true;
    else if (current?.id === message.id) {
      if (message.isInterim) {
        current.interim = message.delta;
        return;
      }
      clearTimeout(current.timer);
      current.resolve(message.delta);
      thread.current = undefined;
    }
    this.#dispatch();
  }

  #onExit(thread: CompareThread): void {
    if (!this.#threads.delete(thread)) return;
    const { current } = thread;
    if (current !== undefined) {
      clearTimeout(current.timer);
      if (current.interim === undefined) this.#degrade(current);
      else current.resolve(current.interim);
    }
    const terminating = thread.worker.terminate().finally(() => this.#terminating.delete(terminating));
    this.#terminating.add(terminating);
    if (this.#closed) return;
    this.#spawn();
    this.#dispatch();
  }

  #dispatch(): void {
    for (const thread of this.#threads) {
      while (thread.isReady && thread.current === undefined) {
        const next = this.#queued.shift();
        if (next === undefined) return;
        try {
          this.#startPair(thread, next);
        } catch (error) {
          next.reject(error);
        }
      }
    }
  }

  /** Resolves with a degraded result: computed here for a small pair, on another thread for a large one. */
  #degrade(queued: QueuedPair): void {
    try {
      const { before, after } = queued;
      const answer = isLarge(queued) ? this.#overflow.degrade(bytesOf(before), bytesOf(after)) : degraded(queued);
      queued.resolve(answer);
    } catch (cause) {
      queued.reject(new AppError('internal', 'the two readings of the page cannot be compared', { cause }));
    }
  }

  #startPair(thread: CompareThread, queued: QueuedPair): void {
    const remainingMs = this.#options.deadlineMs - (performance.now() - (queued.requestedAtMs ?? performance.now()));
    // Copies are transferred: the stored bytes may be part of a larger buffer.
    const [before, after] = [new Uint8Array(bytesOf(queued.before)), new Uint8Array(bytesOf(queued.after))];
    const id = this.#nextId++;
    const timer = setTimeout(() => this.#onExit(thread), Math.max(0, remainingMs * TERMINATE_SHARE));
    thread.current = { ...queued, id, timer };
    const task: CompareTask = { id, before, after, deadlineMs: remainingMs * WORKER_SHARE };
    thread.worker.postMessage(task, [before.buffer, after.buffer]);
  }

  /** Terminates the threads. Queued pairs get a degraded result. */
  async close(): Promise<void> {
    this.#closed = true;
    const overflow = this.#overflow.close();
    for (const queued of this.#queued.splice(0)) this.#degrade(queued);
    const threads = [...this.#threads];
    for (const thread of threads) this.#onExit(thread);
    await Promise.all([overflow, ...this.#terminating]);
  }
}

const isLarge = ({ before, after }: QueuedPair): boolean =>
  bytesOf(before).length + bytesOf(after).length > LARGE_BYTES;

const degraded = ({ before, after }: QueuedPair): PageDelta =>
  degradedDelta({ before, after, isVolatile: (block: Block) => block.isVolatile === true });
