import { describe, expect, it } from '@jest/globals';
import { HostLimiter } from './host-limiter.ts';

const never = new AbortController().signal;

describe('HostLimiter', () => {
  it('never exceeds the concurrency of a host and grants every request', async () => {
    const hosts = new HostLimiter(2);
    let [active, most] = [0, 0];
    const visit = async () => {
      const slot = await hosts.acquire('a', 0, never);
      active += 1;
      most = Math.max(most, active);
      await new Promise((resolve) => setImmediate(resolve));
      active -= 1;
      slot.release();
    };
    await Promise.all(Array.from({ length: 20 }, visit));
    expect(most).toBe(2);
  });

  it('starts requests one at a time with the requested delay between their starts', async () => {
    const hosts = new HostLimiter(4);
    const startTimes: number[] = [];
    const visit = async () => {
      const slot = await hosts.acquire('a', 40, never);
      startTimes.push(performance.now());
      slot.release();
    };
    const requestedAtMs = performance.now();
    await Promise.all([visit(), visit(), visit()]);
    // Measured from the time of the calls: a start that is recorded late on a busy machine would shorten the gap to the next.
    for (const [i, at] of startTimes.entries()) expect(at - requestedAtMs).toBeGreaterThanOrEqual(i * 40 - 2);
    expect(startTimes).toHaveLength(3);
  });

  it('delays requests to a paused host and not those to other hosts', async () => {
    const hosts = new HostLimiter(4);
    hosts.pause('a', 60);
    const startedAt = performance.now();
    const granted: string[] = [];
    const visit = async (host: string) => {
      const slot = await hosts.acquire(host, 0, never);
      granted.push(host);
      slot.release();
    };
    await Promise.all([visit('a'), visit('b')]);
    expect(granted).toEqual(['b', 'a']);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(55);
  });

  it('grants the slot of an aborted request to the next request', async () => {
    const hosts = new HostLimiter(1);
    const first = await hosts.acquire('a', 0, never);
    const controller = new AbortController();
    const second = hosts.acquire('a', 0, controller.signal);
    const third = hosts.acquire('a', 0, never);
    controller.abort(new Error('aborted by the caller'));
    await expect(second).rejects.toThrow('aborted by the caller');
    first.release();
    (await third).release();
  });
});
