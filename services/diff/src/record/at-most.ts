import pLimit from 'p-limit';

/** Runs what it is given at once, or when a place is free. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Returns a gate with so many places; calls are admitted in order. */
export const atMost = (places: number): Gate => pLimit(places);
