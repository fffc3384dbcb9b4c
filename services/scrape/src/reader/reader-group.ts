import { AppError } from '@tidemark/errors';
import type { ReadPriority } from './read-priority.ts';
import { ReadQueue } from './read-queue.ts';
import { type PostedTask, type QueuedTask, type ReaderLimits, ReaderThread } from './reader-thread.ts';

/** A page that could not be read within the limits of time or memory. A result, not an error of this service. */
export class Unreadable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unreadable';
  }
}

export interface GroupOptions extends ReaderLimits {
  readonly threads: number;
  /** Time after which idle threads end, ms; they start with the next task. Absent: they start with the group and stay. */
  readonly idleMs?: number;
}

/** Interval of the memory check of busy threads, ms. */
const MEMORY_CHECK_MS = 200;

/** Threads that share one queue. A page that hangs or exhausts its thread ends only that thread, which is replaced. */
export class ReaderGroup {
  readonly #options: GroupOptions;
  readonly #readers = new Set<ReaderThread>();
  readonly #queue = new ReadQueue<QueuedTask>();
  /** Threads being terminated. A busy thread does not end at once. */
  readonly #ending = new Set<Promise<number>>();
  readonly #memoryCheck: NodeJS.Timeout;
  #usedAtMs = performance.now();
  #nextId = 1;
  #closed = false;

  constructor(options: GroupOptions) {
    this.#options = options;
    if (options.idleMs === undefined) for (let at = 0; at < options.threads; at += 1) this.#spawn();
    this.#memoryCheck = setInterval(() => this.#check(), MEMORY_CHECK_MS).unref();
  }

  enqueue(workspaceId: string, priority: ReadPriority, task: QueuedTask): void {
    this.#usedAtMs = performance.now();
    this.#queue.push(workspaceId, priority, task);
    const isBusy = [...this.#readers].every((reader) => !reader.isIdle);
    if (isBusy && this.#readers.size < this.#options.threads) this.#spawn();
    this.#dispatch();
  }

  #spawn(): void {
    const reader = new ReaderThread(this.#options, {
      onFree: (ended) => {
        if (ended !== undefined) this.#queue.finish(ended.task.workspaceId, ended.cpuMs);
        this.#usedAtMs = performance.now();
        this.#dispatch();
      },
      onEnd: (ended, reason) => this.#replace(ended, reason),
    });
    this.#readers.add(reader);
  }

  #replace(reader: ReaderThread, reason: string): void {
    if (!this.#readers.delete(reader)) return;
    this.#end(reader);
    const { current, next } = reader;
    if (current !== undefined) {
      this.#queue.finish(current.workspaceId, this.#options.pageDeadlineMs);
      current.reject(new Unreadable(reason));
    }
    // The posted task has not been started.
    if (next !== undefined) this.#queue.putBack(next.workspaceId, next.priority, next);
    if (this.#closed) return;
    if (this.#options.idleMs === undefined || this.#queue.size > 0) this.#spawn();
    this.#dispatch();
  }

  #end(reader: ReaderThread): void {
    const ending = reader.terminate().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Ends threads whose document exceeds the buffer limit, and idle threads. Ordinary pages finish before the first check. */
  #check(): void {
    const nowMs = performance.now();
    for (const reader of this.#readers) reader.checkMemory(nowMs - MEMORY_CHECK_MS);
    const { idleMs } = this.#options;
    if (idleMs === undefined || this.#readers.size === 0 || nowMs - this.#usedAtMs < idleMs) return;
    for (const reader of this.#readers) {
      if (!reader.isIdle || !this.#readers.delete(reader)) continue;
      this.#end(reader);
    }
  }

  #take(): PostedTask | undefined {
    for (let taken = this.#queue.take(); taken !== undefined; taken = this.#queue.take()) {
      const { workspaceId, priority, task } = taken;
      if (task.signal?.aborted !== true) return { ...task, id: this.#nextId++, workspaceId, priority };
      this.#queue.finish(workspaceId, 0);
      task.reject(new AppError('unavailable', 'the caller disconnected before the page was read'));
    }
    return undefined;
  }

  /**
   * Fills idle threads first, then gives each thread one queued task that is not interactive, because it may wait there
   * for long.
   */
  #dispatch(): void {
    for (const reader of this.#readers) {
      if (!reader.isIdle) continue;
      const task = this.#take();
      if (task === undefined) return;
      reader.post(task);
    }
    for (const reader of this.#readers) {
      if (!reader.hasRoom) continue;
      const task = this.#queue.has('interactive') ? undefined : this.#take();
      if (task === undefined) return;
      reader.post(task);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#memoryCheck);
    await Promise.all([...this.#ending, ...[...this.#readers].map((reader) => reader.terminate())]);
  }
}
