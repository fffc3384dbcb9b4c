import { DestinationError } from '../destinations/driver.ts';

/** How long each step of an attempt may take without progress, ms. */
export interface ProgressLimits {
  /** To connect, to wait for locks and to prepare the table: some statements of at most ten minutes. */
  readonly start: number;
  /** To read the next rows: the source has deadlines of its own. */
  readonly source: number;
  /** To accept rows. */
  readonly accept: number;
  /** To merge the rows and to commit: up to three statements of at most ten minutes. */
  readonly finish: number;
  /** The whole attempt. */
  readonly attempt: number;
}

export const TABLE_LIMITS: ProgressLimits = {
  start: 11 * 60_000,
  source: 3 * 60_000,
  accept: 60_000,
  finish: 31 * 60_000,
  attempt: 6 * 3_600_000,
};
/** An object is written as a whole, while the next is encoded; its transfer has a deadline of its own. */
export const FILE_LIMITS: ProgressLimits = { ...TABLE_LIMITS, accept: 11 * 60_000 };

type Step = Exclude<keyof ProgressLimits, 'attempt'>;

const MESSAGES: Readonly<Record<keyof ProgressLimits, string>> = {
  start: 'the destination was not ready to receive rows',
  source: 'no rows could be read',
  accept: 'the destination accepted no rows',
  finish: 'the destination did not finish the write',
  attempt: 'the sync did not end',
};

/** Aborts an attempt that makes no progress: a connection whose other end is gone reports no error. */
export class Watchdog {
  readonly #limits: ProgressLimits;
  readonly #controller = new AbortController();
  readonly #whole: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #step: Step = 'start';

  constructor(limits: ProgressLimits) {
    this.#limits = limits;
    this.#whole = setTimeout(() => this.#abort('attempt'), limits.attempt);
    this.enter('start');
  }

  /** Aborted with a DestinationError. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Begins a step. */
  enter(step: Step): void {
    this.#step = step;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abort(step), this.#limits[step]);
  }

  /** Begins the time of the current step again. */
  progress(): void {
    this.enter(this.#step);
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#whole);
  }

  #abort(step: keyof ProgressLimits): void {
    const seconds = this.#limits[step] / 1_000;
    this.#controller.abort(new DestinationError('temporary', `${MESSAGES[step]} within ${seconds} s`));
  }
}
