import { describe, expect, it } from '@jest/globals';
import { limitConcurrency } from './concurrency-limit.ts';

describe('limitConcurrency', () => {
  it('runs at most the given number of tasks, in order, and frees the slot of a failed task', async () => {
    const limit = limitConcurrency(2);
    let running = 0;
    let maxRunning = 0;
    const started: number[] = [];
    const makeTask = (n: number) => async () => {
      started.push(n);
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await new Promise(setImmediate);
      running -= 1;
      if (n % 3 === 0) throw new Error(`task ${n} failed`);
      return n;
    };
    const results = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7].map((n) => limit(makeTask(n))));
    expect(results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))).toEqual([1, 2, 4, 5, 7]);
    expect([maxRunning, started]).toEqual([2, [1, 2, 3, 4, 5, 6, 7]]);
  });
});
