/** Facts of one message told together. */
const AT_ONCE = 8;

/**
 * Tells what was heard together, eight at a time; what is about the same thing, one after the other in the order it was heard.
 * @throws what the first that fails throws, once all that had begun are over
 */
export async function tellEach<T>(
  heard: readonly T[],
  sameOf: (fact: T) => string,
  tell: (fact: T) => Promise<void>,
): Promise<void> {
  const rows = [...Map.groupBy(heard, sameOf).values()];
  let hasFailed = false;
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let row = rows.shift(); row !== undefined && !hasFailed; row = rows.shift())
      for (const fact of row)
        await tell(fact).catch((error: unknown) => {
          hasFailed = true;
          throw error;
        });
  });
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
