/** Does something for each, so many at once. @returns what came of each, in their order */
export async function eachOf<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [place, item] of waiting) done[place] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return done;
}
