import { AppError } from '@tidemark/errors';
import { LRUCache } from 'lru-cache';

/** Default limit: people mistype a key a few times, programs that guess keys try thousands. */
export const AUTH_FAILURES_PER_MINUTE = 60;
const WINDOW_MS = 60_000;
/** Addresses that are remembered; the one without an attempt for the longest time is dropped first. */
const MAX_ADDRESSES = 10_000;

interface Window {
  count: number;
  readonly endsAtMs: number;
}

/**
 * Counts failed authentications per client address, per process and minute. An attempt is counted before its result is known, so that
 * concurrent attempts are bounded as well.
 */
export class AuthFailures {
  readonly #limit: number;
  readonly #nowMs: () => number;
  readonly #windows = new LRUCache<string, Window>({ max: MAX_ADDRESSES });

  /** `limit`: failed authentications per address and minute. */
  constructor(limit = AUTH_FAILURES_PER_MINUTE, nowMs: () => number = Date.now) {
    this.#limit = limit;
    this.#nowMs = nowMs;
  }

  /** Number of addresses that are remembered. */
  get addresses(): number {
    return this.#windows.size;
  }

  /** Counts an attempt. @returns a function that takes it back. @throws AppError rate_limited */
  count(address: string): () => void {
    const now = this.#nowMs();
    const known = this.#windows.get(address);
    const window = known === undefined || known.endsAtMs <= now ? { count: 0, endsAtMs: now + WINDOW_MS } : known;
    if (window.count >= this.#limit) {
      const seconds = Math.max(1, Math.ceil((window.endsAtMs - now) / 1_000));
      throw new AppError(
        'rate_limited',
        `too many requests without a valid API key from this address; try again in ${seconds} s`,
        { retryAfterSeconds: seconds },
      );
    }
    window.count += 1;
    this.#windows.set(address, window);
    return () => {
      window.count -= 1;
    };
  }
}
