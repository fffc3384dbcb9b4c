import { describe, expect, it } from '@jest/globals';
import { DatabaseClock } from './database-clock.ts';

/** A database and a machine whose clocks are moved by hand; asking takes `tookMs`. */
function clocks() {
  const at = { localMs: 0, thereMs: 1_000_000, tookMs: 10 };
  const pass = (ms: number) => {
    at.localMs += ms;
    at.thereMs += ms;
  };
  const readMs = async () => {
    pass(at.tookMs / 2);
    const read = at.thereMs;
    pass(at.tookMs / 2);
    return read;
  };
  return { at, pass, clock: new DatabaseClock({ readMs, localMs: () => at.localMs }) };
}

describe('the clock', () => {
  it('shows the database’s time, whatever its own machine’s says', async () => {
    const { at, pass, clock } = clocks();
    await clock.follow();
    pass(3_600_000);
    expect(clock.now().getTime()).toBe(at.thereMs);
  });

  it('runs evenly while readings differ by no more than they took, and follows where the database has moved', async () => {
    const { at, clock } = clocks();
    await clock.follow();
    at.thereMs += 6;
    await clock.follow();
    expect(clock.now().getTime()).toBe(at.thereMs - 6);
    at.thereMs -= 5_000;
    await clock.follow();
    expect(clock.now().getTime()).toBe(at.thereMs);
  });

  it('learns nothing from a reading that took long', async () => {
    const { at, clock } = clocks();
    await clock.follow();
    at.tookMs = 30_000;
    at.thereMs += 9_000_000;
    await clock.follow();
    expect(clock.now().getTime()).toBe(at.thereMs - 9_000_000);
  });
});
