import pLimit from 'p-limit';

/**
 * Maps items with at most `limit` calls at once. After a failure no further call is started, and the result rejects.
 * @returns the results, in the order of the items
 */
export function mapConcurrently<T, R>(items: readonly T[], limit: number, map: (item: T) => Promise<R>): Promise<R[]> {
  const queue = pLimit(limit);
  return queue.map(items, async (item) => {
    try {
      return await map(item);
    } catch (error) {
      queue.clearQueue();
      throw error;
    }
  });
}
