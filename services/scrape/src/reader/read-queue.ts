import type { TaskQueue } from '@tidemark/worker-threads';
import { READ_PRIORITIES, type ReadPriority } from './read-priority.ts';

/** Thread time, ms, that a workspace may use ahead of the others that wait before it loses the order of priorities. */
const AHEAD_MS = 250;

/** The position of a task in the queue. */
export interface ReadOrder {
  readonly priority: ReadPriority;
  /** Workspaces share the threads equally. */
  readonly workspaceId: string;
}

/** The tasks of one workspace that wait, and the thread time of those that run. */
interface Share<T> {
  readonly waiting: Record<ReadPriority, T[]>;
  size: number;
  /** Virtual time, ms: thread time used, at least that of the workspace that was served last. */
  usedMs: number;
  running: number;
}

/**
 * Tasks that wait for a reader thread. Threads are shared by thread time: of the workspaces that wait, those that have used
 * the least go first (start-time fair queueing, Goyal 1996). Among them the priority classes decide, then the order of
 * arrival. Every eighth task comes from the lowest class, so that none starves.
 */
export class ReadQueue<T extends { readonly order: ReadOrder }> implements TaskQueue<T> {
  readonly #shares = new Map<string, Share<T>>();
  /** Virtual time of the task that was taken last, ms. */
  #nowMs = 0;
  #taken = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of workspaces that are remembered. */
  get shares(): number {
    return this.#shares.size;
  }

  push(task: T): void {
    this.#add(task, 'push');
  }

  putBack(task: T): void {
    this.#add(task, 'unshift');
    this.finish(task, 0);
  }

  #add(task: T, where: 'push' | 'unshift'): void {
    const share = this.#shareOf(task.order.workspaceId);
    // A workspace that did not wait has no credit from the time in which it requested nothing.
    if (share.size === 0 && share.running === 0) share.usedMs = Math.max(share.usedMs, this.#nowMs);
    share.waiting[task.order.priority][where](task);
    share.size += 1;
    this.#size += 1;
  }

  remove(task: T): boolean {
    const share = this.#shares.get(task.order.workspaceId);
    const tasks = share?.waiting[task.order.priority] ?? [];
    const at = tasks.indexOf(task);
    if (share === undefined || at === -1) return false;
    tasks.splice(at, 1);
    share.size -= 1;
    this.#size -= 1;
    return true;
  }

  /** An interactive task is not sent behind another: it may wait there for long. */
  mayPostBehind(): boolean {
    for (const { waiting } of this.#shares.values()) if (waiting.interactive.length > 0) return false;
    return true;
  }

  #shareOf(workspaceId: string): Share<T> {
    const found = this.#shares.get(workspaceId);
    if (found !== undefined) return found;
    const waiting = { interactive: [], stored: [], batch: [], run: [] };
    const share: Share<T> = { waiting, size: 0, usedMs: this.#nowMs, running: 0 };
    this.#shares.set(workspaceId, share);
    return share;
  }

  take(): T | undefined {
    if (this.#size === 0) return undefined;
    this.#taken += 1;
    const waiting = [...this.#shares.values()].filter(({ size }) => size > 0);
    const leastMs = Math.min(...waiting.map(chargedMs));
    const due = waiting.filter((share) => chargedMs(share) <= leastMs + AHEAD_MS);
    const priorities = this.#taken % 8 === 0 ? READ_PRIORITIES.toReversed() : READ_PRIORITIES;
    for (const priority of priorities) {
      const [share] = due
        .filter((each) => each.waiting[priority].length > 0)
        .sort((a, b) => chargedMs(a) - chargedMs(b));
      const task = share?.waiting[priority].shift();
      if (share === undefined || task === undefined) continue;
      share.size -= 1;
      share.running += 1;
      this.#size -= 1;
      this.#nowMs = Math.max(this.#nowMs, leastMs);
      return task;
    }
    return undefined;
  }

  /** Charges the thread time of a task that was taken to its workspace. */
  finish({ order }: T, threadMs: number): void {
    const share = this.#shares.get(order.workspaceId);
    if (share === undefined) return;
    share.running -= 1;
    share.usedMs += threadMs;
    // A workspace that is ahead is kept, so that it can not reset its share by a short pause.
    if (share.size === 0 && share.running === 0 && share.usedMs <= this.#nowMs) this.#shares.delete(order.workspaceId);
    if (this.#shares.size > SHARES_MAX) this.#dropIdle();
  }

  #dropIdle(): void {
    for (const [id, { size, running }] of this.#shares) if (size === 0 && running === 0) this.#shares.delete(id);
  }
}

/** Workspaces that are remembered without a task. */
const SHARES_MAX = 1_000;
/** Charged for a task that runs, ms, until its thread time is known. */
const RUNNING_MS = 20;

const chargedMs = ({ usedMs, running }: Share<unknown>): number => usedMs + running * RUNNING_MS;
