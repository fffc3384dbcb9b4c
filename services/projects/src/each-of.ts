import pLimit from 'p-limit';

/** Maps items with at most `atOnce` calls in flight; after a failure no further call begins. @returns results in the items' order */
export function eachOf<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const limit = pLimit(atOnce);
  return limit.map(items, async (item) => {
    try {
      return await work(item);
    } catch (error) {
      limit.clearQueue();
      throw error;
    }
  });
}
