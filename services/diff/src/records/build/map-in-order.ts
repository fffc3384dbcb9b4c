/** Applies `work` to at most `concurrency` items at a time and yields the results in the order of the items. */
export async function* mapInOrder<In, Out>(
  items: AsyncIterable<In>,
  concurrency: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out> {
  const running: Promise<Out>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // Avoids an unhandled rejection; the error is thrown where the result is awaited.
      result.catch(() => {});
      running.push(result);
      if (running.length >= concurrency) yield* inOrder(running.splice(0, 1));
    }
    yield* inOrder(running);
  } finally {
    await Promise.allSettled(running);
  }
}

async function* inOrder<Out>(results: readonly Promise<Out>[]): AsyncGenerator<Out> {
  for (const result of results) yield await result;
}
