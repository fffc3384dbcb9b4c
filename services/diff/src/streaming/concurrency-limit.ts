/** Runs a task as soon as a slot is free. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** Returns a limit with `slots` slots. Waiting tasks start in FIFO order. */
export function limitConcurrency(slots: number): ConcurrencyLimit {
  let free = slots;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((admitted) => waiting.push(admitted));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
