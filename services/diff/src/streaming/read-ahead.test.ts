import { describe, expect, it } from '@jest/globals';
import { readAhead } from './read-ahead.ts';

const NUMBERS = Array.from({ length: 7 }, (_, at) => at + 1);
const from = async (last: number | undefined): Promise<number[]> => NUMBERS.filter((n) => n > (last ?? 0)).slice(0, 3);

async function all(batches: AsyncIterable<readonly number[]>): Promise<(readonly number[])[]> {
  const seen: (readonly number[])[] = [];
  for await (const batch of batches) seen.push(batch);
  return seen;
}

describe('rows in batches', () => {
  it('come in their order, each once, and none is empty', async () => {
    expect(await all(readAhead(3, from))).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(await all(readAhead(7, async (last) => (last === undefined ? NUMBERS : [])))).toEqual([NUMBERS]);
  });

  it('are read one batch ahead, and no further', async () => {
    let asked = 0;
    const batches = readAhead(1, async () => [++asked]);
    await batches.next();
    expect(asked).toBe(2);
    await batches.return(undefined);
    expect(asked).toBe(2);
  });

  it('fail where what could not be read would come', async () => {
    const batches = readAhead(3, async (last: number | undefined) => {
      if (last !== undefined) throw new Error('the database is away');
      return [1, 2, 3];
    });
    expect(await batches.next()).toMatchObject({ value: [1, 2, 3] });
    await expect(batches.next()).rejects.toThrow('the database is away');
  });
});
