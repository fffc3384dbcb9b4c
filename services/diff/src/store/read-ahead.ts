/**
 * Yields rows in batches by keyset pagination. Reads the next batch while the current one is processed, so that at most
 * two are in memory.
 */
export async function* readAhead<Row>(
  batchSize: number,
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let next: Promise<readonly Row[]> | undefined = read(undefined);
  try {
    while (next !== undefined) {
      const rows: readonly Row[] = await next;
      next = rows.length < batchSize ? undefined : read(rows.at(-1));
      // Avoids an unhandled rejection; the error is thrown where the batch is awaited.
      next?.catch(() => {});
      if (rows.length > 0) yield rows;
    }
  } finally {
    await next?.catch(() => {});
  }
}
