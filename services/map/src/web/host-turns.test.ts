import { describe, expect, it } from '@jest/globals';
import { HostTurns } from './host-turns.ts';

const never = new AbortController().signal;

describe('visits to one host', () => {
  it('are never more at once than allowed, and all come to their turn', async () => {
    const turns = new HostTurns(2);
    let [active, most] = [0, 0];
    const visit = async () => {
      const turn = await turns.take('a', 0, never);
      active += 1;
      most = Math.max(most, active);
      await new Promise((resolve) => setImmediate(resolve));
      active -= 1;
      turn.done();
    };
    await Promise.all(Array.from({ length: 20 }, visit));
    expect(most).toBe(2);
  });

  it('begin as far apart as the host asks, one at a time', async () => {
    const turns = new HostTurns(4);
    const begun: number[] = [];
    const visit = async () => {
      const turn = await turns.take('a', 40, never);
      begun.push(performance.now());
      turn.done();
    };
    const askedAtMs = performance.now();
    await Promise.all([visit(), visit(), visit()]);
    // Measured from the moment they were asked for: what a busy machine notes late would shorten a gap that was kept.
    for (const [i, at] of begun.entries()) expect(at - askedAtMs).toBeGreaterThanOrEqual(i * 40 - 2);
    expect(begun).toHaveLength(3);
  });

  it('wait for a host that asked to be left alone, and do not hold up another', async () => {
    const turns = new HostTurns(4);
    turns.hold('a', 60);
    const startedAt = performance.now();
    const granted: string[] = [];
    const visit = async (host: string) => {
      const turn = await turns.take(host, 0, never);
      granted.push(host);
      turn.done();
    };
    await Promise.all([visit('a'), visit('b')]);
    expect(granted).toEqual(['b', 'a']);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(55);
  });

  it('that give up leave their place to the next', async () => {
    const turns = new HostTurns(1);
    const first = await turns.take('a', 0, never);
    const impatient = new AbortController();
    const second = turns.take('a', 0, impatient.signal);
    const third = turns.take('a', 0, never);
    impatient.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    first.done();
    (await third).done();
  });
});
