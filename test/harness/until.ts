export { until } from '@tidemark/testkit';

/** Limit of a revocation: the five seconds of the specification, and ten for a loaded machine. */
export const REVOKED = { withinMs: 15_000 };

/** Resolves with a promise's result. @throws Error where it does not settle in time */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
