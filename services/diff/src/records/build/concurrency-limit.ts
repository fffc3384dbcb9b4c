import pLimit from 'p-limit';

/** Runs a task as soon as a slot is free. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** Returns a limit with `slots` slots. Waiting tasks start in FIFO order. */
export const limitConcurrency = (slots: number): ConcurrencyLimit => pLimit(slots);
