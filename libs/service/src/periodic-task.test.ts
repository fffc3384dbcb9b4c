import { describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { PeriodicTask, type PeriodicTaskDeps, repeatUntilDone } from './periodic-task.ts';

const log = pino({ level: 'silent' });
const HOUR_MS = 3_600_000;
const roundsOf = (round: PeriodicTaskDeps['run'], everyMs = HOUR_MS) =>
  new PeriodicTask({ everyMs, run: round, failed: '', log });

describe('a periodic task', () => {
  it('has at most one run in progress', async () => {
    let begun = 0;
    const gate = Promise.withResolvers<void>();
    const rounds = roundsOf(async () => {
      begun += 1;
      await gate.promise;
    });
    const both = [rounds.runNow(), rounds.runNow()];
    gate.resolve();
    await Promise.all(both);
    expect(begun).toBe(1);
    await rounds.runNow();
    expect(begun).toBe(2);
    await rounds.close();
  });

  it('continues after a failed run', async () => {
    let begun = 0;
    const done = Promise.withResolvers<void>();
    const rounds = roundsOf(async () => {
      begun += 1;
      if (begun === 3) done.resolve();
      throw new Error('failed run');
    }, 1);
    await done.promise;
    await rounds.close();
    expect(begun).toBeGreaterThanOrEqual(3);
  });

  it('is closed after its current run ends, whose isOpen() then returns false', async () => {
    let pieces = 0;
    const begun = Promise.withResolvers<void>();
    const rounds = roundsOf((isOpen) =>
      repeatUntilDone(async () => {
        pieces += 1;
        if (pieces === 3) begun.resolve();
        await new Promise((resolve) => setImmediate(resolve));
        return true;
      }, isOpen),
    );
    const round = rounds.runNow();
    await begun.promise;
    await rounds.close();
    const atClose = pieces;
    await round;
    expect(pieces).toBe(atClose);
  });
});

describe('repeatUntilDone', () => {
  it('returns true when no work is left', async () => {
    let left = 5;
    const work = async () => {
      if (left === 0) return false;
      left -= 1;
      return true;
    };
    expect(await repeatUntilDone(work, () => true)).toBe(true);
    expect(left).toBe(0);
  });
});
