/**
 * Returns the result of `work`, or that of `onLate` if the work takes longer than `ms`. The work itself continues, and its
 * later result or error is ignored. Rejects as `work` does in time, or with what `onLate` throws. The timer does not keep the
 * process alive.
 */
export async function within<T, L>(work: Promise<T>, ms: number, onLate: () => L): Promise<T | L> {
  const elapsed = Promise.withResolvers<void>();
  // A cleared timer, unlike an aborted one, makes no error: most calls end in time.
  const timer = setTimeout(elapsed.resolve, Math.max(0, ms)).unref();
  try {
    return await Promise.race([work, elapsed.promise.then(onLate)]);
  } finally {
    clearTimeout(timer);
  }
}
