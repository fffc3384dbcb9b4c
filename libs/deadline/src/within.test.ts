import { describe, expect, it } from '@jest/globals';
import { within } from './index.ts';

const NEVER = new Promise<string>(() => undefined);
const isLate = (): never => {
  throw new Error('late');
};

describe('within', () => {
  it('returns the result or the error of work that ends in time', async () => {
    expect(await within(Promise.resolve('done'), 60_000, () => 'late')).toBe('done');
    await expect(within(Promise.reject(new Error('failed')), 60_000, isLate)).rejects.toThrow('failed');
  });

  it('returns the result of onLate, or its error, if the work takes longer', async () => {
    expect(await within(NEVER, 1, () => 'late')).toBe('late');
    await expect(within(NEVER, -1, isLate)).rejects.toThrow('late');
  });

  it('ignores an error of the work after the deadline', async () => {
    const work = Promise.withResolvers<string>();
    expect(await within(work.promise, 1, () => 'late')).toBe('late');
    work.reject(new Error('too late to be reported'));
    await expect(work.promise).rejects.toThrow('too late to be reported');
  });
});
