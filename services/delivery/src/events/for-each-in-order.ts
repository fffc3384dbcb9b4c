/** Facts of one message told together. */
const CONCURRENCY = 8;

/**
 * Tells what was heard together, eight at a time; what is about the same thing, one after the other in the order it was heard.
 * @throws what the first that fails throws, once all that had begun are over
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
