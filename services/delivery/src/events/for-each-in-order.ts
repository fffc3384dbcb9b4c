/** Events of one message batch handled concurrently. */
const CONCURRENCY = 8;

/**
 * Handles a batch of events, eight at a time; events with the same key one after the other, in order.
 * @throws the error of the first failed handler, once all started handlers have ended
 */
export async function forEachInOrder<T>(
  events: readonly T[],
  keyOf: (event: T) => string,
  handle: (event: T) => Promise<void>,
): Promise<void> {
  const groups = [...Map.groupBy(events, keyOf).values()];
  let hasFailed = false;
  const workers = Array.from({ length: CONCURRENCY }, async () => {
    for (let group = groups.shift(); group !== undefined && !hasFailed; group = groups.shift())
      for (const event of group)
        await handle(event).catch((error: unknown) => {
          hasFailed = true;
          throw error;
        });
  });
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
