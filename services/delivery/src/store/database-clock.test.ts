import { describe, expect, it } from '@jest/globals';
import { DatabaseClock } from './database-clock.ts';

/** A database and a machine whose clocks the test moves; a read takes `tookMs`. */
function clocks() {
  const at = { localMs: 0, databaseMs: 1_000_000, tookMs: 10 };
  const pass = (ms: number) => {
    at.localMs += ms;
    at.databaseMs += ms;
  };
  const readMs = async () => {
    pass(at.tookMs / 2);
    const read = at.databaseMs;
    pass(at.tookMs / 2);
    return read;
  };
  return { at, pass, clock: new DatabaseClock({ readMs, localMs: () => at.localMs }) };
}

describe('the database clock', () => {
  it('returns the database’s time, whatever the time of its own machine', async () => {
    const { at, pass, clock } = clocks();
    await clock.synchronize();
    pass(3_600_000);
    expect(clock.now().getTime()).toBe(at.databaseMs);
  });

  it('runs evenly while readings differ by no more than their round trip, and is corrected by larger differences', async () => {
    const { at, clock } = clocks();
    await clock.synchronize();
    at.databaseMs += 6;
    await clock.synchronize();
    expect(clock.now().getTime()).toBe(at.databaseMs - 6);
    at.databaseMs -= 5_000;
    await clock.synchronize();
    expect(clock.now().getTime()).toBe(at.databaseMs);
  });

  it('ignores a reading that took long', async () => {
    const { at, clock } = clocks();
    await clock.synchronize();
    at.tookMs = 30_000;
    at.databaseMs += 9_000_000;
    await clock.synchronize();
    expect(clock.now().getTime()).toBe(at.databaseMs - 9_000_000);
  });
});
