/** Permission to send one request to a host. The holder must release it. */
export interface HostSlot {
  release(): void;
}

interface HostQueue {
  active: number;
  /** Earliest start of the next request, in `performance.now()` time. */
  nextStartMs: number;
  readonly waiting: (() => void)[];
}

const MAX_HOSTS = 10_000;

/** Limits the requests of this process to each host: their concurrency, and the delay between their starts. */
export class HostLimiter {
  readonly #concurrency: number;
  readonly #queues = new Map<string, HostQueue>();

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** Waits until a request may start. With a delay, requests to the host run one at a time. @throws the signal's reason if it is aborted */
  async acquire(host: string, delayMs: number, signal: AbortSignal): Promise<HostSlot> {
    const queue = this.#queueOf(host);
    const maxActive = delayMs > 0 ? 1 : this.#concurrency;
    while (queue.active >= maxActive) {
      const turn = Promise.withResolvers<void>();
      queue.waiting.push(turn.resolve);
      try {
        await orAborted(turn.promise, signal);
      } catch (error) {
        // An aborted waiter leaves the queue. If it has been woken already, it wakes the next one instead.
        const at = queue.waiting.indexOf(turn.resolve);
        if (at >= 0) queue.waiting.splice(at, 1);
        else queue.waiting.shift()?.();
        throw error;
      }
    }
    queue.active += 1;
    const slot = { release: () => this.#release(host, queue) };
    try {
      const waitMs = queue.nextStartMs - performance.now();
      queue.nextStartMs = Math.max(queue.nextStartMs, performance.now()) + delayMs;
      if (waitMs > 0) await orAborted(new Promise<void>((resolve) => setTimeout(resolve, waitMs).unref()), signal);
      signal.throwIfAborted();
      // The delay counts from the actual start, which may be later than the earliest start.
      if (delayMs > 0) queue.nextStartMs = Math.max(queue.nextStartMs, performance.now() + delayMs);
      return slot;
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  /** Starts no request to a host for the next `ms` milliseconds. */
  pause(host: string, ms: number): void {
    const queue = this.#queueOf(host);
    queue.nextStartMs = Math.max(queue.nextStartMs, performance.now() + ms);
  }

  #release(host: string, queue: HostQueue): void {
    queue.active -= 1;
    queue.waiting.shift()?.();
    const isIdle = queue.active === 0 && queue.waiting.length === 0 && queue.nextStartMs <= performance.now();
    if (isIdle || this.#queues.size > MAX_HOSTS) this.#queues.delete(host);
  }

  #queueOf(host: string): HostQueue {
    const known = this.#queues.get(host);
    if (known !== undefined) return known;
    const queue: HostQueue = { active: 0, nextStartMs: 0, waiting: [] };
    this.#queues.set(host, queue);
    return queue;
  }
}

async function orAborted(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
  });
  try {
    await Promise.race([wait, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
