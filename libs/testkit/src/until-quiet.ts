import { until } from './until.ts';

/**
 * Polls a value until it has not changed for `forMs`, and returns it.
 * @throws Error where it still changes after `withinMs`
 */
export function untilQuiet<T>(
  what: string,
  read: () => T,
  { forMs, withinMs = 60_000 }: { readonly forMs: number; readonly withinMs?: number },
): Promise<T> {
  let last = read();
  let sinceMs = performance.now();
  return until(
    `${what} to stop changing`,
    () => {
      const now = read();
      if (String(now) !== String(last)) [last, sinceMs] = [now, performance.now()];
      return performance.now() - sinceMs >= forMs ? { now } : undefined;
    },
    { withinMs },
  ).then(({ now }) => now);
}
