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
  /** Of a pair somebody waits for: when it was asked for. */
  readonly requestedAtMs: number | undefined;
}

interface RunningPair extends QueuedPair {
  readonly id: number;
  readonly timer: NodeJS.Timeout;
  /** What the thread could say before it began to compare. */
  interim?: PageDelta;
}

interface CompareThread {
  readonly worker: Worker;
  /** Loaded: a comparison's time begins when it is begun, not while its thread starts. */
  isReady: boolean;
  current: RunningPair | undefined;
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
const WORKER_SHARE = 0.7;
/** After this share it is ended, and the answer given without it. */
const TERMINATE_SHARE = 0.97;

/**
 * Threads that compare pages. Every comparison is answered: a pair that hangs or exhausts its thread costs that thread, which is replaced, and
 * gets the degraded answer; one that can't be decoded is refused. Blocks that the project set aside are told and counted nowhere.
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

  /** In its turn, with all of its time once it is begun. @throws AppError `unavailable` where too many wait already, or the pool is closed */
  compare(before: PageBlocks, after: PageBlocks): Promise<PageDelta> {
    return this.#enqueue(before, after, undefined);
  }

  /** For somebody who waits: before all that does not, and answered in time whatever else is compared. @throws AppError as `compare` */
  compareNow(before: PageBlocks, after: PageBlocks): Promise<PageDelta> {
    return this.#enqueue(before, after, performance.now());
  }

  #enqueue(before: PageBlocks, after: PageBlocks, requestedAtMs: number | undefined): Promise<PageDelta> {
    if (this.#closed || this.#queued.length >= this.#options.maxWaiting)
      throw new AppError('unavailable', 'too many pages wait to be compared');
    return new Promise((resolve, reject) => {
      const queued: QueuedPair = { before, after, resolve, reject, requestedAtMs };
      const insertAt =
        requestedAtMs === undefined ? -1 : this.#queued.findIndex((queued) => queued.requestedAtMs === undefined);
      this.#queued.splice(insertAt === -1 ? this.#queued.length : insertAt, 0, queued);
      this.#dispatch();
      if (requestedAtMs !== undefined && this.#queued.includes(queued)) this.#degradeAtDeadline(queued);
    });
  }

  /** Nobody waits longer because every thread is at another pair. */
  #degradeAtDeadline(queued: QueuedPair): void {
    // What is said of a large pair without comparing it takes some time of its own.
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

  /** What can be said of a pair without comparing it: at once of a small one, elsewhere of a large one. */
  #degrade(queued: QueuedPair): void {
    try {
      const { before, after } = queued;
      const answer = isLarge(queued) ? this.#overflow.degrade(bytesOf(before), bytesOf(after)) : degraded(queued);
      queued.resolve(answer);
    } catch (cause) {
      queued.reject(new AppError('internal', 'the two readings of the page can’t be compared', { cause }));
    }
  }

  #startPair(thread: CompareThread, queued: QueuedPair): void {
    const leftMs = this.#options.deadlineMs - (performance.now() - (queued.requestedAtMs ?? performance.now()));
    // Copies, which are handed over: what is stored may be a part of something larger.
    const [before, after] = [new Uint8Array(bytesOf(queued.before)), new Uint8Array(bytesOf(queued.after))];
    const id = this.#nextId++;
    const timer = setTimeout(() => this.#onExit(thread), Math.max(0, leftMs * TERMINATE_SHARE));
    thread.current = { ...queued, id, timer };
    const task: CompareTask = { id, before, after, deadlineMs: leftMs * WORKER_SHARE };
    thread.worker.postMessage(task, [before.buffer, after.buffer]);
  }

  /** Ends the threads; what waits is answered degraded, where that is no work. */
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
