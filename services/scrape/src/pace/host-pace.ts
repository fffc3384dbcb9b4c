/** How fast one host may be asked. */
export interface Pace {
  /** Fetches at once, of everything that runs for everyone. */
  readonly concurrency: number;
  /** Milliseconds between two starts. */
  readonly delayMs: number;
}

/** Leave to fetch from a host; given back when the fetch is over. */
export interface Turn {
  done(): Promise<void>;
}

/** What the pace of a host is kept by. */
export interface PaceKeeper {
  /** @returns a turn, or the milliseconds after which it is worth asking again */
  ask(host: string, pace: Pace): Promise<Turn | number>;
  /** Nobody starts a fetch from the host before this many milliseconds have passed. */
  hold(host: string, ms: number): Promise<void>;
}

/** Longest a turn is kept for a process that has gone silent; longer than any capture may take. */
export const TURN_MS = 150_000;
/** A host is held no longer than this, whatever it asks for. */
export const HOLD_MAX_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 1_000;

/** Waits for a turn at the host. @returns undefined where `signal` came first */
export async function turnAt(
  keeper: PaceKeeper,
  host: string,
  pace: Pace,
  signal: AbortSignal,
): Promise<Turn | undefined> {
  while (!signal.aborted) {
    const answer = await keeper.ask(host, pace);
    if (typeof answer !== 'number') return answer;
    await pause(Math.min(LOOK_AGAIN_MS, Math.max(5, answer)), signal);
  }
  return undefined;
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
