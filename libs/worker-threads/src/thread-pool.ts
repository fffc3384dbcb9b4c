import type { TaskQueue } from './task-queue.ts';
import { ThreadFailure } from './thread-failure.ts';
import { type Posting, type ThreadLimits, type ThreadTask, WorkerThread } from './worker-thread.ts';

/**
 * When threads start and end. `kept`: they start with the pool and are replaced when they end. `on_demand`: they start
 * with tasks and end after `idleMs` without one. `per_task`: each task has a new thread, whose memory is returned.
 * `stateful`: one thread starts with the pool; after a failure the pool can not be used again.
 */
export type ThreadLife =
  | { readonly kind: 'kept' | 'per_task' | 'stateful' }
  | { readonly kind: 'on_demand'; readonly idleMs: number };

export interface ThreadPoolOptions<Request, Result, Interim = never, Order = number> {
  /** Module of the threads, which calls `serveTasks`. See `workerModule`. */
  readonly module: URL;
  readonly workerData?: unknown;
  /** Maximum number of threads. */
  readonly threads: number;
  readonly life: ThreadLife;
  readonly limits: ThreadLimits;
  readonly queue: TaskQueue<PoolTask<Request, Result, Interim, Order>>;
  /** Maximum number of tasks that wait for a thread. Infinite where the callers bound it. */
  readonly maxWaiting: number;
  /** Sends one task to each busy thread if its queue permits, so that the thread does not idle between two tasks. */
  readonly isPostedBehind?: boolean;
}

export interface TaskOptions<Request, Interim = never, Order = number> {
  /** The position of the task in the queue. */
  readonly order: Order;
  /** Makes the message when a thread takes the task; called again if that thread ends before the task starts. */
  readonly post: () => Posting<Request>;
  /** Drops the task if it is aborted before the task is sent to a thread. */
  readonly dropSignal?: AbortSignal | undefined;
  readonly onInterim?: (interim: Interim) => void;
}

/** A task of a pool, as its queue holds it. */
export interface PoolTask<Request, Result, Interim = never, Order = number> extends ThreadTask<Result, Interim> {
  readonly order: Order;
  readonly post: () => Posting<Request>;
  /** Called when the task is sent to a thread. */
  onPosted(): void;
}

type PoolThread<Request, Result, Interim, Order> = WorkerThread<
  PoolTask<Request, Result, Interim, Order>,
  Request,
  Result,
  Interim
>;

/** Interval of the memory check of busy threads, ms. */
const MEMORY_CHECK_MS = 200;

/**
 * Worker threads that share a queue of tasks. A task that exceeds its limits ends only its own thread, and a task that was
 * sent behind it is repeated on another. Every wait is bounded: for a thread by the caller's `dropSignal`, for the start of
 * a thread and for a task by limits. The README states why this is not a package.
 */
export class ThreadPool<Request, Result, Interim = never, Order = number> {
  readonly #options: ThreadPoolOptions<Request, Result, Interim, Order>;
  readonly #threads = new Set<PoolThread<Request, Result, Interim, Order>>();
  /** Threads that are ending. A busy thread does not end at once. */
  readonly #ending = new Set<Promise<number>>();
  readonly #memoryCheck: NodeJS.Timeout | undefined;
  readonly #idleCheck: NodeJS.Timeout | undefined;
  /** Set once the pool can not be used any more. */
  #failure: ThreadFailure | undefined;

  constructor(options: ThreadPoolOptions<Request, Result, Interim, Order>) {
    this.#options = options;
    const { life, limits, threads } = options;
    const isEager = life.kind === 'kept' || life.kind === 'stateful';
    for (let at = 0; isEager && at < threads; at += 1) this.#spawn();
    if (limits.bufferMb !== undefined)
      this.#memoryCheck = setInterval(() => this.#checkMemory(), MEMORY_CHECK_MS).unref();
    if (life.kind === 'on_demand') this.#idleCheck = setTimeout(() => this.#endIdle(), life.idleMs).unref();
  }

  /** Number of threads that run or start. */
  get threadCount(): number {
    return this.#threads.size;
  }

  /** Runs a task on a thread. Rejects with a ThreadFailure, or with the error that `post` throws. */
  run(options: TaskOptions<Request, Interim, Order>): Promise<Result> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const { queue, maxWaiting } = this.#options;
    if (queue.size >= maxWaiting) return Promise.reject(new ThreadFailure('full', 'too many tasks are queued'));
    if (options.dropSignal?.aborted === true) return Promise.reject(dropped());
    return new Promise((resolve, reject) => {
      const { order, post, dropSignal, onInterim } = options;
      const drop = (): void => {
        if (queue.remove(task)) reject(dropped());
      };
      const task: PoolTask<Request, Result, Interim, Order> = {
        order,
        post,
        onPosted: () => dropSignal?.removeEventListener('abort', drop),
        onInterim: (interim) => onInterim?.(interim),
        onResult: resolve,
        onFailure: reject,
      };
      dropSignal?.addEventListener('abort', drop, { once: true });
      queue.push(task);
      this.#idleCheck?.refresh();
      this.#dispatch();
    });
  }

  /** Ends the threads. Tasks that run or wait fail as `closed`. */
  async close(): Promise<void> {
    this.#failure ??= new ThreadFailure('closed', 'the threads are closed');
    clearInterval(this.#memoryCheck);
    clearTimeout(this.#idleCheck);
    for (const thread of [...this.#threads]) this.#lose(thread, this.#failure);
    this.#failQueued(this.#failure);
    await Promise.all(this.#ending);
  }

  #spawn(): PoolThread<Request, Result, Interim, Order> {
    const { module, workerData, limits } = this.#options;
    const thread: PoolThread<Request, Result, Interim, Order> = new WorkerThread(module, workerData, limits, {
      onFree: (ended) => {
        if (ended !== undefined) this.#finish(thread, ended.task, ended.cpuMs);
        this.#dispatch();
      },
      onEnd: (failure) => this.#lose(thread, failure),
    });
    this.#threads.add(thread);
    return thread;
  }

  #finish(
    thread: PoolThread<Request, Result, Interim, Order>,
    task: PoolTask<Request, Result, Interim, Order>,
    cpuMs: number,
  ): void {
    this.#options.queue.finish(task, cpuMs);
    this.#idleCheck?.refresh();
    if (this.#options.life.kind === 'per_task' && this.#threads.delete(thread)) this.#terminate(thread);
  }

  /** Removes a thread that ended or has to end; its task fails, and the task sent behind it waits again. */
  #lose(thread: PoolThread<Request, Result, Interim, Order>, failure: ThreadFailure): void {
    if (!this.#threads.delete(thread)) return;
    this.#terminate(thread);
    const { queue, life } = this.#options;
    const { current, currentLimitMs, next, isReady } = thread;
    if (current !== undefined) {
      queue.finish(current, currentLimitMs);
      current.onFailure(failure);
    }
    if (next !== undefined) queue.putBack(next);
    // A thread that does not start fails one task, so that it is not started without end.
    if (!isReady) this.#failFirst(failure);
    if (life.kind === 'stateful') {
      this.#failure ??= failure;
      this.#failQueued(failure);
    }
    if (this.#failure !== undefined) return;
    if (life.kind === 'kept' && isReady) this.#spawn();
    this.#dispatch();
  }

  #terminate(thread: PoolThread<Request, Result, Interim, Order>): void {
    const ending = thread.terminate().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #failFirst(failure: ThreadFailure): boolean {
    const task = this.#options.queue.take();
    if (task === undefined) return false;
    this.#options.queue.finish(task, 0);
    task.onPosted();
    task.onFailure(failure);
    return true;
  }

  #failQueued(failure: ThreadFailure): void {
    while (this.#failFirst(failure)) {
      // Each call fails one task.
    }
  }

  /** Serves idle threads first, then starts threads, then sends tasks behind those that run. */
  #dispatch(): void {
    const { queue, life, isPostedBehind } = this.#options;
    for (const thread of this.#threads) if (thread.isIdle && !this.#give(thread)) return;
    while (this.#needsThread()) {
      const thread = this.#spawn();
      if (life.kind === 'per_task') this.#give(thread);
    }
    if (isPostedBehind !== true) return;
    for (const thread of this.#threads) if (thread.hasRoom && (!queue.mayPostBehind() || !this.#give(thread))) return;
  }

  #needsThread(): boolean {
    const { queue, life, threads } = this.#options;
    if (this.#failure !== undefined || this.#threads.size >= threads) return false;
    if (life.kind === 'per_task') return queue.size > 0;
    let starting = 0;
    for (const { isReady } of this.#threads) if (!isReady) starting += 1;
    return queue.size > starting;
  }

  /** Sends the next task to a thread. Returns false if none waits. */
  #give(thread: PoolThread<Request, Result, Interim, Order>): boolean {
    const { queue } = this.#options;
    for (let task = queue.take(); task !== undefined; task = queue.take()) {
      task.onPosted();
      try {
        thread.post(task, task.post());
        return true;
      } catch (error) {
        queue.finish(task, 0);
        task.onFailure(error);
      }
    }
    return false;
  }

  #checkMemory(): void {
    const startedBefore = performance.now() - MEMORY_CHECK_MS;
    for (const thread of this.#threads) thread.checkMemory(startedBefore);
  }

  #endIdle(): void {
    for (const thread of this.#threads) if (thread.isIdle && this.#threads.delete(thread)) this.#terminate(thread);
  }
}

const dropped = (): ThreadFailure => new ThreadFailure('dropped', 'no thread was free in time');
