import { describe, expect, test } from '@jest/globals';
import { ReadBudget } from './read-budget.ts';

/** A read that ends when the test ends it. */
function pending() {
  const { promise, resolve } = Promise.withResolvers<string>();
  let begun = false;
  const read = (): Promise<string> => {
    begun = true;
    return promise;
  };
  return { read, end: () => resolve('bodies'), isBegun: () => begun };
}

describe('ReadBudget', () => {
  test('delays a read that does not fit beside the others until one of them has ended', async () => {
    const budget = new ReadBudget(100);
    const [first, second] = [pending(), pending()];
    const reads = [budget.run(60, first.read), budget.run(60, second.read)];
    await Promise.resolve();
    expect([first.isBegun(), second.isBegun()]).toEqual([true, false]);
    first.end();
    await reads[0];
    expect(second.isBegun()).toBe(true);
    second.end();
    expect(await Promise.all(reads)).toEqual(['bodies', 'bodies']);
  });

  test('runs a read that is larger than the budget alone', async () => {
    const budget = new ReadBudget(100);
    expect(await budget.run(1_000, async () => 'bodies')).toBe('bodies');
  });

  test('begins small reads after a large one that waits, so that the large one is not postponed without limit', async () => {
    const budget = new ReadBudget(100);
    const [first, large, small] = [pending(), pending(), pending()];
    const reads = [budget.run(60, first.read), budget.run(90, large.read), budget.run(1, small.read)];
    await Promise.resolve();
    expect([large.isBegun(), small.isBegun()]).toEqual([false, false]);
    for (const each of [first, large, small]) each.end();
    expect(await Promise.all(reads)).toHaveLength(3);
  });

  test('refuses a read with 503 when too many wait, and is free again after a read that failed', async () => {
    const budget = new ReadBudget(100, 1);
    const first = pending();
    const reads = [budget.run(100, first.read), budget.run(100, () => Promise.reject(new Error('the store is down')))];
    await expect(budget.run(100, first.read)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    first.end();
    await expect(reads[1]).rejects.toThrow('the store is down');
    expect(await budget.run(100, async () => 'bodies')).toBe('bodies');
  });
});
