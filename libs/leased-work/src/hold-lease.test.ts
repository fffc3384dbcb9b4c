import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { holdLease } from './hold-lease.ts';

describe('holdLease', () => {
  it('aborts the signal when the lease is lost, and survives a failed renewal', async () => {
    const answers = [
      () => Promise.reject(new Error('no database')),
      () => Promise.resolve(true),
      () => Promise.resolve(false),
    ];
    let renewals = 0;
    const renew = () => answers[renewals++]?.() ?? Promise.resolve(false);
    const work = async (lost: AbortSignal) => {
      await once(lost, 'abort');
      return renewals;
    };
    expect(await holdLease({ renew, everyMs: 1 }, work)).toBe(3);
  });
});
