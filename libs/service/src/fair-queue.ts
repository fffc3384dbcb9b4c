import { AppError } from '@tidemark/errors';

interface Waiter {
  readonly workspaceId: string;
  readonly admit: () => void;
  readonly refuse: (error: AppError) => void;
}

export interface FairQueueOptions {
  /** Slots for callers of any workspace. */
  readonly capacity: number;
  /** Further slots for workspaces that hold none, so that they do not wait for the pages of others; default 0. */
  readonly reserved?: number;
  /** Callers that may wait. */
  readonly maxWaiting: number;
  /** Plural name of the slots, for messages: `browser tabs`. */
  readonly slots: string;
}

const RETRY_AFTER_SECONDS = 2;

/**
 * Limits concurrent and waiting callers. A free slot goes to the workspace that holds the fewest, then round robin; FIFO
 * within a workspace. A single page of one customer waits for one page of another customer's crawl at most.
 */
export class FairQueue {
  readonly #options: Required<FairQueueOptions>;
  readonly #queues = new Map<string, Waiter[]>();
  /** Slots held, by workspace. */
  readonly #held = new Map<string, number>();
  #active = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = { reserved: 0, ...options };
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Slots that a workspace which holds some can take at once. */
  get free(): number {
    return Math.max(0, this.#options.capacity - this.#active);
  }

  /** Waiting callers of a workspace. */
  waitingOf(workspaceId: string): number {
    return this.#queues.get(workspaceId)?.length ?? 0;
  }

  /** Resolves with a release function when a slot is free. @throws AppError unavailable if the queue is full, or at `signal` */
  async acquire(workspaceId: string, signal: AbortSignal): Promise<() => void> {
    if (this.#hasSlotFor(workspaceId)) this.#take(workspaceId);
    else await this.#wait(workspaceId, signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#release(workspaceId);
    };
  }

  #heldBy(workspaceId: string): number {
    return this.#held.get(workspaceId) ?? 0;
  }

  #hasSlotFor(workspaceId: string): boolean {
    const { capacity, reserved } = this.#options;
    return this.#active < capacity + (this.#heldBy(workspaceId) === 0 ? reserved : 0);
  }

  #take(workspaceId: string): void {
    this.#active += 1;
    this.#held.set(workspaceId, this.#heldBy(workspaceId) + 1);
  }

  #release(workspaceId: string): void {
    const held = this.#heldBy(workspaceId) - 1;
    if (held > 0) this.#held.set(workspaceId, held);
    else this.#held.delete(workspaceId);
    this.#active -= 1;
    this.#admitNext();
  }

  #wait(workspaceId: string, signal: AbortSignal): Promise<void> {
    const { maxWaiting, slots } = this.#options;
    if (this.#waiting >= maxWaiting && !this.#evictFor(workspaceId)) {
      throw unavailable(`all ${slots} are in use and the queue is full; try again shortly`);
    }
    return new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#remove(entry);
        entry.refuse(unavailable(`none of the ${slots} became free in time; try again shortly`));
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
      const queue = this.#queues.get(workspaceId);
      if (queue === undefined) this.#queues.set(workspaceId, [entry]);
      else queue.push(entry);
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
    last.refuse(unavailable(`the queue for ${this.#options.slots} is full; try again shortly`));
    return true;
  }

  #remove(entry: Waiter): void {
    const queue = this.#queues.get(entry.workspaceId) ?? [];
    const at = queue.indexOf(entry);
    if (at < 0) return;
    queue.splice(at, 1);
    this.#waiting -= 1;
    if (queue.length === 0) this.#queues.delete(entry.workspaceId);
  }

  #admitNext(): void {
    const waiting = [...this.#queues.keys()].filter((workspaceId) => this.#hasSlotFor(workspaceId));
    const fewest = Math.min(...waiting.map((workspaceId) => this.#heldBy(workspaceId)));
    const workspaceId = waiting.find((each) => this.#heldBy(each) === fewest);
    const queue = workspaceId === undefined ? undefined : this.#queues.get(workspaceId);
    const first = queue?.shift();
    if (workspaceId === undefined || queue === undefined || first === undefined) return;
    // Maps keep insertion order: the served workspace moves to the end of the round.
    this.#queues.delete(workspaceId);
    if (queue.length > 0) this.#queues.set(workspaceId, queue);
    this.#waiting -= 1;
    // Taken before the waiter resumes, so that no other caller takes the slot.
    this.#take(workspaceId);
    first.admit();
  }
}

const unavailable = (message: string): AppError =>
  new AppError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
