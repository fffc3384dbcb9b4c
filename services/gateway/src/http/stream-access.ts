import { AppError } from '@tidemark/errors';
import { type Authenticated, limitedId } from '../middleware/authenticated.ts';

/** Maximum number of open event streams of one key in one gateway process. */
export const MAX_STREAMS_PER_KEY = 50;
/** Maximum number of open event streams in one gateway process; each holds a connection and authenticates its key every second. */
const MAX_STREAMS = 2_000;
/**
 * Interval at which an open stream authenticates its key again, ms. With the lifetime of a cached authentication (3 s) a refused key ends
 * its streams in less than five seconds.
 */
const RECHECK_MS = 1_000;
/** Time without a successful authentication after which a stream ends, ms: identity is unavailable. */
const UNCONFIRMED_MAX_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;

/** The access of one open stream. */
export interface StreamAccess {
  /** Resolves with the reason once the key is refused; with undefined when the signal aborts. */
  refusal(closed: AbortSignal): Promise<AppError | undefined>;
  /** Releases the slot of the stream. */
  release(): void;
}

/** Counts the open event streams of the process and of each key, and authenticates their keys again while they are open. */
export class StreamSlots {
  readonly #most: number;
  readonly #open = new Map<string, number>();
  #all = 0;

  /** `most`: open streams of all keys together. */
  constructor(most = MAX_STREAMS) {
    this.#most = most;
  }

  /** @throws AppError rate_limited if the key or person has `MAX_STREAMS_PER_KEY` open streams, unavailable if the process has `most` */
  take(auth: Authenticated, authenticate: () => Promise<unknown>): StreamAccess {
    const keyId = limitedId(auth);
    const open = this.#open.get(keyId) ?? 0;
    if (open >= MAX_STREAMS_PER_KEY)
      throw new AppError(
        'rate_limited',
        `this key has ${MAX_STREAMS_PER_KEY} open event streams, the maximum; close one before opening another`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    if (this.#all >= this.#most)
      throw new AppError(
        'unavailable',
        `all ${this.#most} event streams of this process are open; try again shortly, or poll the job`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    this.#open.set(keyId, open + 1);
    this.#all += 1;
    let isReleased = false;
    return {
      refusal: (closed) => awaitRefusal(authenticate, closed),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#all -= 1;
        const left = (this.#open.get(keyId) ?? 1) - 1;
        if (left > 0) this.#open.set(keyId, left);
        else this.#open.delete(keyId);
      },
    };
  }
}

async function awaitRefusal(authenticate: () => Promise<unknown>, closed: AbortSignal): Promise<AppError | undefined> {
  let confirmedAtMs = performance.now();
  while (await pause(closed)) {
    try {
      await authenticate();
      confirmedAtMs = performance.now();
    } catch (error) {
      const failure = error instanceof AppError ? error : new AppError('internal', 'the key could not be checked');
      const isRefused = ['unauthorized', 'forbidden', 'not_found'].includes(failure.code);
      if (isRefused || performance.now() - confirmedAtMs > UNCONFIRMED_MAX_MS) return failure;
    }
  }
  return undefined;
}

/** Waits for the next check. @returns false if the stream was closed */
function pause(closed: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      closed.removeEventListener('abort', end);
      resolve(!closed.aborted);
    };
    const timer = setTimeout(end, RECHECK_MS);
    closed.addEventListener('abort', end, { once: true });
    if (closed.aborted) end();
  });
}
