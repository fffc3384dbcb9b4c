import { READ_PRIORITIES, type ReadPriority } from './read-priority.ts';

/** Thread time, ms, that a workspace may use ahead of the others that wait before it loses the order of priorities. */
const AHEAD_MS = 250;

/** An entry of the queue. */
interface Queued<T> {
  readonly workspaceId: string;
  readonly priority: ReadPriority;
  readonly task: T;
}

/** The tasks of one workspace that wait, and the thread time of those that run. */
interface Share<T> {
  readonly waiting: Record<ReadPriority, Queued<T>[]>;
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
export class ReadQueue<T> {
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

  has(priority: ReadPriority): boolean {
    for (const { waiting } of this.#shares.values()) if (waiting[priority].length > 0) return true;
    return false;
  }

  push(workspaceId: string, priority: ReadPriority, task: T): void {
    this.#add({ workspaceId, priority, task }, 'push');
  }

  /** Returns a task that was taken and not started to the front of its queue. */
  putBack(workspaceId: string, priority: ReadPriority, task: T): void {
    this.#add({ workspaceId, priority, task }, 'unshift');
    this.finish(workspaceId, 0);
  }

  #add(queued: Queued<T>, where: 'push' | 'unshift'): void {
    const share = this.#shareOf(queued.workspaceId);
    // A workspace that did not wait has no credit from the time in which it requested nothing.
    if (share.size === 0 && share.running === 0) share.usedMs = Math.max(share.usedMs, this.#nowMs);
    share.waiting[queued.priority][where](queued);
    share.size += 1;
    this.#size += 1;
  }

  #shareOf(workspaceId: string): Share<T> {
    const found = this.#shares.get(workspaceId);
    if (found !== undefined) return found;
    const waiting = { interactive: [], stored: [], batch: [], run: [] };
    const share: Share<T> = { waiting, size: 0, usedMs: this.#nowMs, running: 0 };
    this.#shares.set(workspaceId, share);
    return share;
  }

  /** Takes the next task. `finish` must be called when it has ended. */
  take(): { readonly workspaceId: string; readonly priority: ReadPriority; readonly task: T } | undefined {
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
      const queued = share?.waiting[priority].shift();
      if (share === undefined || queued === undefined) continue;
      share.size -= 1;
      share.running += 1;
      this.#size -= 1;
      this.#nowMs = Math.max(this.#nowMs, leastMs);
      return queued;
    }
    return undefined;
  }

  /** Charges the thread time of a task that was taken to its workspace. */
  finish(workspaceId: string, threadMs: number): void {
    const share = this.#shares.get(workspaceId);
    if (share === undefined) return;
    share.running -= 1;
    share.usedMs += threadMs;
    // A workspace that is ahead is kept, so that it can not reset its share by a short pause.
    if (share.size === 0 && share.running === 0 && share.usedMs <= this.#nowMs) this.#shares.delete(workspaceId);
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
