import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { HeldLeases } from './held-leases.ts';

const untilLost = async (lost: AbortSignal) => {
  await once(lost, 'abort');
  return String(lost.reason);
};

describe('HeldLeases', () => {
  it('aborts the work when its lease is lost, and not when a renewal fails', async () => {
    const responses = [() => Promise.reject(new Error('no database')), () => Promise.resolve(true)];
    let renewals = 0;
    const renew = () => responses[renewals++]?.() ?? Promise.resolve(false);
    const released: string[] = [];
    const leases = new HeldLeases();
    const release = async () => void released.push('row');
    expect(await leases.hold({ renew, release, everyMs: 1 }, untilLost)).toContain('lost to another claim');
    expect(renewals).toBe(3);
    await leases.drain();
    expect(released).toEqual([]);
  });

  it('releases the claims of unfinished work at shutdown, each of them if one cannot be released', async () => {
    const released: string[] = [];
    const leases = new HeldLeases();
    const leaseOf = (name: string, release: () => Promise<void>) =>
      leases.hold(
        { renew: async () => true, everyMs: 60_000, release: () => release().then(() => void released.push(name)) },
        untilLost,
      );
    const works = [leaseOf('a', () => Promise.reject(new Error('no database'))), leaseOf('b', async () => undefined)];
    await leases.drain();
    expect(released).toEqual(['b']);
    expect(await Promise.all(works)).toEqual(Array(2).fill('Error: the process is shutting down'));
  });
});
