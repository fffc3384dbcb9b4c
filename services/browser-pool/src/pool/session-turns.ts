import { AppError } from '@tidemark/errors';

const WAITING_MAX = 16;
const RETRY_AFTER_SECONDS = 2;

interface Line {
  /** Resolves when everyone who came before has left. */
  last: Promise<void>;
  length: number;
}

/** One page of a session at a time, in the order asked: the next one is to find the cookies of the one before. */
export class SessionTurns {
  readonly #lines = new Map<string, Line>();

  /** Resolves with the way out once it is this page's turn. @throws AppError unavailable where too many wait, or at `signal` */
  async enter(session: string, signal: AbortSignal): Promise<() => void> {
    const line = this.#lines.get(session) ?? { last: Promise.resolve(), length: 0 };
    if (line.length >= WAITING_MAX) throw busy();
    this.#lines.set(session, line);
    line.length += 1;
    const before = line.last;
    const left = Promise.withResolvers<void>();
    line.last = before.then(() => left.promise);
    const leave = () => {
      left.resolve();
      line.length -= 1;
      if (line.length === 0) this.#lines.delete(session);
    };
    try {
      await orAborted(before, signal);
      let isInside = true;
      return () => {
        if (isInside) leave();
        isInside = false;
      };
    } catch (error) {
      leave();
      throw error;
    }
  }
}

async function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
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
  new AppError('unavailable', 'other pages of the session are under way; try again shortly', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
