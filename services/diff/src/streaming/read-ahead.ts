/**
 * Rows in batches, each read on from the last row of the one before it. The next is asked for while somebody works on one, so that two are
 * in memory at most.
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
      // The failure is thrown where it is awaited, in its turn.
      next?.catch(() => {});
      if (rows.length > 0) yield rows;
    }
  } finally {
    await next?.catch(() => {});
  }
}
