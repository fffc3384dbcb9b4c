import { describe, expect, it } from '@jest/globals';
import { eachOf } from './each-of.ts';

describe('something done for each', () => {
  it('is answered in their order, so many of them at once and no more', async () => {
    let [under, most] = [0, 0];
    const work = async (item: number): Promise<number> => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
      return item * 10;
    };
    expect(await eachOf([3, 1, 2, 5, 4], 2, work)).toEqual([30, 10, 20, 50, 40]);
    expect(most).toBe(2);
  });

  it('is begun for no other once it has failed for one', async () => {
    const begun: number[] = [];
    const held = Promise.withResolvers<void>();
    const work = async (item: number): Promise<void> => {
      begun.push(item);
      if (item === 1) throw new Error('no');
      await held.promise;
    };
    await expect(eachOf([0, 1, 2, 3], 2, work)).rejects.toThrow('no');
    held.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual([0, 1]);
  });
});
