import { AppError } from '@tidemark/errors';

const MAX_WAITING = 16;
const RETRY_AFTER_SECONDS = 2;

interface WaitList {
  /** Resolves when all earlier holders have released the lock. */
  last: Promise<void>;
  length: number;
}

/** One lock per session, FIFO: a page must find the cookies of the previous page. */
export class SessionLocks {
  readonly #waitLists = new Map<string, WaitList>();

  /** Resolves with a release function. @throws AppError unavailable if too many callers wait, or at `signal` */
  async acquire(session: string, signal: AbortSignal): Promise<() => void> {
    const waitList = this.#waitLists.get(session) ?? { last: Promise.resolve(), length: 0 };
    if (waitList.length >= MAX_WAITING) throw busy();
    this.#waitLists.set(session, waitList);
    waitList.length += 1;
    const previous = waitList.last;
    const released = Promise.withResolvers<void>();
    waitList.last = previous.then(() => released.promise);
    const release = () => {
      released.resolve();
      waitList.length -= 1;
      if (waitList.length === 0) this.#waitLists.delete(session);
    };
    try {
      await raceAbort(previous, signal);
      let isHeld = true;
      return () => {
        if (isHeld) release();
        isHeld = false;
      };
    } catch (error) {
      release();
      throw error;
    }
  }
}

async function raceAbort(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(busy());
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const busy = (): AppError =>
  new AppError('unavailable', 'other pages of the session are in progress; try again shortly', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
