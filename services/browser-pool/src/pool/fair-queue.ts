import { AppError } from '@tidemark/errors';

interface Waiter {
  readonly workspaceId: string;
  readonly admit: () => void;
  readonly refuse: (error: AppError) => void;
}

const RETRY_AFTER_SECONDS = 2;

/**
 * Limits concurrent and waiting callers. FIFO within a workspace, round robin over workspaces: a single page of one customer
 * waits for one page of another customer's crawl, not for all of them.
 */
export class FairQueue {
  readonly #capacity: number;
  readonly #maxWaiting: number;
  readonly #queues = new Map<string, Waiter[]>();
  #active = 0;
  #waiting = 0;

  constructor(capacity: number, maxWaiting: number) {
    this.#capacity = capacity;
    this.#maxWaiting = maxWaiting;
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves with a release function when a slot is free. @throws AppError unavailable if the queue is full, or at `signal` */
  async acquire(workspaceId: string, signal: AbortSignal): Promise<() => void> {
    if (this.#active < this.#capacity) this.#active += 1;
    else await this.#wait(workspaceId, signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#active -= 1;
      this.#admitNext();
    };
  }

  #wait(workspaceId: string, signal: AbortSignal): Promise<void> {
    if (this.#waiting >= this.#maxWaiting && !this.#evictFor(workspaceId)) {
      throw unavailable('all browser tabs are in use and the queue is full; try again shortly');
    }
    return new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#remove(entry);
        entry.refuse(unavailable('no browser tab became free in time; try again shortly'));
      };
      const entry: Waiter = {
        workspaceId,
        admit: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
        refuse: (error) => {
          signal.removeEventListener('abort', onAbort);
          reject(error);
        },
      };
      this.#queues.set(workspaceId, [...(this.#queues.get(workspaceId) ?? []), entry]);
      this.#waiting += 1;
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Evicts the last waiter of the longest queue for a workspace without waiters. @returns whether there is room now */
  #evictFor(workspaceId: string): boolean {
    if (this.#queues.has(workspaceId)) return false;
    const longest = [...this.#queues.values()].reduce<Waiter[]>((a, b) => (b.length > a.length ? b : a), []);
    const last = longest.length > 1 ? longest.at(-1) : undefined;
    if (last === undefined) return false;
    this.#remove(last);
    last.refuse(unavailable('the queue for browser tabs is full; try again shortly'));
    return true;
  }

  #remove(entry: Waiter): void {
    const queue = this.#queues.get(entry.workspaceId) ?? [];
    const rest = queue.filter((other) => other !== entry);
    this.#waiting -= queue.length - rest.length;
    if (rest.length === 0) this.#queues.delete(entry.workspaceId);
    else this.#queues.set(entry.workspaceId, rest);
  }

  #admitNext(): void {
    const [queue] = this.#queues.values();
    const first = queue?.[0];
    if (first === undefined || this.#active >= this.#capacity) return;
    const rest = queue?.slice(1) ?? [];
    // Maps keep insertion order: the served workspace moves to the end of the round.
    this.#queues.delete(first.workspaceId);
    if (rest.length > 0) this.#queues.set(first.workspaceId, rest);
    this.#waiting -= 1;
    // Incremented before the waiter resumes, so that no other caller takes the slot.
    this.#active += 1;
    first.admit();
  }
}

const unavailable = (message: string): AppError =>
  new AppError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
