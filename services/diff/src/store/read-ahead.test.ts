import { describe, expect, it } from '@jest/globals';
import { readAhead } from './read-ahead.ts';

const NUMBERS = Array.from({ length: 7 }, (_, at) => at + 1);
const from = async (last: number | undefined): Promise<number[]> => NUMBERS.filter((n) => n > (last ?? 0)).slice(0, 3);

async function all(batches: AsyncIterable<readonly number[]>): Promise<(readonly number[])[]> {
  const batchesRead: (readonly number[])[] = [];
  for await (const batch of batches) batchesRead.push(batch);
  return batchesRead;
}

describe('readAhead', () => {
  it('yields all rows in order, each once, without empty batches', async () => {
    expect(await all(readAhead(3, from))).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(await all(readAhead(7, async (last) => (last === undefined ? NUMBERS : [])))).toEqual([NUMBERS]);
  });

  it('reads one batch ahead and no further', async () => {
    let reads = 0;
    const batches = readAhead(1, async () => [++reads]);
    await batches.next();
    expect(reads).toBe(2);
    await batches.return(undefined);
    expect(reads).toBe(2);
  });

  it('throws a read error at the position of the failed batch', async () => {
    const batches = readAhead(3, async (last: number | undefined) => {
      if (last !== undefined) throw new Error('database unavailable');
      return [1, 2, 3];
    });
    expect(await batches.next()).toMatchObject({ value: [1, 2, 3] });
    await expect(batches.next()).rejects.toThrow('database unavailable');
  });
});
