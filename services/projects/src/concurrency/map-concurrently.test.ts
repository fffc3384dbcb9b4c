import { describe, expect, it } from '@jest/globals';
import { mapConcurrently } from './map-concurrently.ts';

describe('mapConcurrently', () => {
  it('returns the results in order, with at most `limit` calls at once', async () => {
    let [running, max] = [0, 0];
    const work = async (item: number): Promise<number> => {
      running += 1;
      max = Math.max(max, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return item * 10;
    };
    expect(await mapConcurrently([3, 1, 2, 5, 4], 2, work)).toEqual([30, 10, 20, 50, 40]);
    expect(max).toBe(2);
  });

  it('starts no further call after a failure', async () => {
    const started: number[] = [];
    const held = Promise.withResolvers<void>();
    const work = async (item: number): Promise<void> => {
      started.push(item);
      if (item === 1) throw new Error('no');
      await held.promise;
    };
    await expect(mapConcurrently([0, 1, 2, 3], 2, work)).rejects.toThrow('no');
    held.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toEqual([0, 1]);
  });
});
