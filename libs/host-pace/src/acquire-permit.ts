import { BUSY_MS, type HostLimiter, isPermit, type Pace, type Permit, type Wait } from './host-limiter.ts';

/** Retry intervals, ms: for a busy host, and for one that is held. */
const RETRY_MS = 1_000;
const HELD_RETRY_MS = 5_000;

interface Waiter {
  readonly signal: AbortSignal;
  /** Called with each refusal, except that of a busy host. */
  readonly onWait: (wait: Wait) => void;
  readonly resolveWith: (result: Permit | Wait | undefined) => void;
}

/** Waiters of this process for one host at one pace, first in, first out. One of them acquires for all. */
interface WaitQueue {
  readonly waiters: Set<Waiter>;
  isServing: boolean;
  /** The last refusal, for waiters that join before the next try. */
  refusal: { readonly wait: Wait; readonly endsAtMs: number } | undefined;
  wake: () => void;
}

/** One queue per host and pace, so that a busy host is tried once for all waiters. */
const queues = new WeakMap<HostLimiter, Map<string, Map<string, WaitQueue>>>();

/**
 * Waits for a permit of the host. Resolves to undefined if `signal` is aborted first, and to the refusal if the host is
 * given up.
 */
export async function acquireOrGivenUp(
  limiter: HostLimiter,
  host: string,
  pace: Pace,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (wait: Wait) => void },
): Promise<Permit | Wait | undefined> {
  if (signal.aborted) return undefined;
  return new Promise((resolve) => {
    const queue = queueOf(limiter, host, pace);
    const resolveWith = (result: Permit | Wait | undefined) => {
      queue.waiters.delete(waiter);
      signal.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const onAbort = () => {
      resolveWith(undefined);
      queue.wake();
    };
    const waiter: Waiter = { signal, onWait, resolveWith };
    signal.addEventListener('abort', onAbort, { once: true });
    queue.waiters.add(waiter);
    const { refusal } = queue;
    if (refusal !== undefined && !isBusy(refusal.wait) && refusal.endsAtMs > performance.now())
      onWait({ ...refusal.wait, ms: refusal.endsAtMs - performance.now() });
    if (!queue.isServing) void serve(limiter, host, pace, queue);
  });
}

/** Waits for a permit of the host, even if it is given up. Resolves to undefined if `signal` is aborted first. */
export async function acquirePermit(
  limiter: HostLimiter,
  host: string,
  pace: Pace,
  signal: AbortSignal,
): Promise<Permit | undefined> {
  for (;;) {
    const result = await acquireOrGivenUp(limiter, host, pace, { signal, onWait: () => undefined });
    if (result === undefined || isPermit(result)) return result;
    await pause(Math.min(HELD_RETRY_MS, result.ms), signal);
  }
}

/** Acquires permits for the first waiter until none is left. Never rejects: a failed limiter is retried. */
async function serve(limiter: HostLimiter, host: string, pace: Pace, queue: WaitQueue): Promise<void> {
  queue.isServing = true;
  while (queue.waiters.size > 0) {
    const result = await limiter.acquire(host, pace).catch((): Wait => ({ ms: RETRY_MS }));
    const [first] = queue.waiters;
    if (isPermit(result)) {
      const permit = wakingOnRelease(limiter, host, result);
      // All waiters may have left meanwhile.
      if (first === undefined) await permit.release();
      else first.resolveWith(permit);
      continue;
    }
    queue.refusal = { wait: result, endsAtMs: performance.now() + result.ms };
    if (!isBusy(result)) for (const waiter of [...queue.waiters]) refuse(waiter, result);
    if (queue.waiters.size > 0) await sleepIn(queue, result);
  }
  dropQueue(limiter, host, pace);
}

/** Returns true if only the turn of the page is waited for. It happens at every page of a busy host, and is not reported. */
const isBusy = ({ ms, why }: Wait): boolean => why === undefined && ms <= BUSY_MS;

function refuse(waiter: Waiter, wait: Wait): void {
  if (wait.isGivenUp === true) waiter.resolveWith(wait);
  else waiter.onWait(wait);
}

/** Wakes the waiters of this process when the permit is released. */
const wakingOnRelease = (limiter: HostLimiter, host: string, permit: Permit): Permit => ({
  delayMs: permit.delayMs,
  async release(report) {
    try {
      return await permit.release(report);
    } finally {
      for (const queue of queues.get(limiter)?.get(host)?.values() ?? []) queue.wake();
    }
  },
});

function sleepIn(queue: WaitQueue, { ms, why }: Wait): Promise<void> {
  const forMs = Math.min(why === undefined ? RETRY_MS : HELD_RETRY_MS, Math.max(5, ms));
  return new Promise((resolve) => {
    const timer = setTimeout(end, forMs);
    function end(): void {
      clearTimeout(timer);
      queue.wake = () => undefined;
      resolve();
    }
    // A start that is due later is not brought forward by the end of a fetch.
    queue.wake = () => {
      if (ms <= RETRY_MS || queue.waiters.size === 0) end();
    };
  });
}

const paceKey = ({ concurrency, delayMs }: Pace): string => `${concurrency} ${delayMs}`;

function queueOf(limiter: HostLimiter, host: string, pace: Pace): WaitQueue {
  const hosts = queues.get(limiter) ?? new Map<string, Map<string, WaitQueue>>();
  queues.set(limiter, hosts);
  const ofHost = hosts.get(host) ?? new Map<string, WaitQueue>();
  hosts.set(host, ofHost);
  const queue = ofHost.get(paceKey(pace)) ?? newQueue();
  ofHost.set(paceKey(pace), queue);
  return queue;
}

const newQueue = (): WaitQueue => ({ waiters: new Set(), isServing: false, refusal: undefined, wake: () => undefined });

function dropQueue(limiter: HostLimiter, host: string, pace: Pace): void {
  const hosts = queues.get(limiter);
  hosts?.get(host)?.delete(paceKey(pace));
  if (hosts?.get(host)?.size === 0) hosts.delete(host);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    if (signal.aborted) return resolve();
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
