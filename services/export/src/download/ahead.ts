/** Reads one value ahead, so that the source works while the consumer does. */
export async function* ahead<T>(values: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = values[Symbol.asyncIterator]();
  let next = iterator.next();
  // The failure is reported by the await below.
  next.catch(() => undefined);
  try {
    for (;;) {
      const current = await next;
      if (current.done === true) return;
      next = iterator.next();
      next.catch(() => undefined);
      yield current.value;
    }
  } finally {
    await iterator.return?.();
  }
}
