import { describe, expect, it } from '@jest/globals';
import { atMost } from './at-most.ts';

describe('a gate', () => {
  it('lets so many in at once, the others in their order, and one more where one failed', async () => {
    const gate = atMost(2);
    let inside = 0;
    let most = 0;
    const began: number[] = [];
    const work = (n: number) => async () => {
      began.push(n);
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
      if (n % 3 === 0) throw new Error(`the ${n}th fails`);
      return n;
    };
    const came = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7].map((n) => gate(work(n))));
    expect(came.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))).toEqual([1, 2, 4, 5, 7]);
    expect([most, began]).toEqual([2, [1, 2, 3, 4, 5, 6, 7]]);
  });
});
