import type { Outcome, Trouble } from './patience.ts';

/** How fast one host may be asked. */
export interface Pace {
  /** Fetches at once, of everything that runs for everyone. */
  readonly concurrency: number;
  /** Milliseconds between two starts. */
  readonly delayMs: number;
}

/** Leave to fetch from a host; given back when the fetch is over. */
export interface Turn {
  /**
   * What the fetch says of its host, where it is told, decides whether the host is left alone for a while.
   * @returns whether it is, or is given up
   */
  done(outcome?: Outcome): Promise<HostState>;
}

/** up: asked as agreed; held: left alone for a while, then asked one page at a time; given_up: not asked any more for now. */
export type HostState = 'up' | 'held' | 'given_up';

/** Not yet. */
export interface Wait {
  /** Milliseconds after which it is worth asking again. */
  readonly ms: number;
  /** Why the host is left alone; undefined where it is merely busy. */
  readonly why?: string;
  /** How it fails, where that is why. */
  readonly trouble?: Trouble;
  /** Nobody waits for it any more: it gave no answer for too long. */
  readonly isGivenUp?: boolean;
}

/** What the pace of a host is kept by. */
export interface PaceKeeper {
  ask(host: string, pace: Pace): Promise<Turn | Wait>;
  /** Nobody starts a fetch from the host before this many milliseconds have passed. */
  hold(host: string, ms: number, why?: string): Promise<void>;
}

/** Longest a turn is kept for a process that has gone silent; longer than any capture may take. */
export const TURN_MS = 150_000;
/** How soon a host all of whose turns are taken is asked again, where nothing is heard of them. */
export const BUSY_MS = 25;

export const isTurn = (answer: Turn | Wait): answer is Turn => 'done' in answer;
