import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns the result of `work`, or that of `onLate` if the work takes longer than `ms`. The work itself continues, and its
 * later result or error is ignored. Rejects as `work` does in time, or with what `onLate` throws. The timer does not keep the
 * process alive.
 */
export async function within<T, L>(work: Promise<T>, ms: number, onLate: () => L): Promise<T | L> {
  const ended = new AbortController();
  const late = sleep(Math.max(0, ms), undefined, { signal: ended.signal, ref: false }).then(onLate);
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
}
