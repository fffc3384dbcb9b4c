import { describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { inPieces, Rounds, type RoundsDeps } from './rounds.ts';

const log = pino({ level: 'silent' });
const HOUR_MS = 3_600_000;
const roundsOf = (round: RoundsDeps['round'], everyMs = HOUR_MS) => new Rounds({ everyMs, round, failed: '', log });

describe('rounds', () => {
  it('are never under way twice at once', async () => {
    let begun = 0;
    const gate = Promise.withResolvers<void>();
    const rounds = roundsOf(async () => {
      begun += 1;
      await gate.promise;
    });
    const both = [rounds.go(), rounds.go()];
    gate.resolve();
    await Promise.all(both);
    expect(begun).toBe(1);
    await rounds.go();
    expect(begun).toBe(2);
    await rounds.close();
  });

  it('go on after one that failed', async () => {
    let begun = 0;
    const done = Promise.withResolvers<void>();
    const rounds = roundsOf(async () => {
      begun += 1;
      if (begun === 3) done.resolve();
      throw new Error('not this time');
    }, 1);
    await done.promise;
    await rounds.close();
    expect(begun).toBeGreaterThanOrEqual(3);
  });

  it('end with their process: the one under way is told, and waited for', async () => {
    let pieces = 0;
    const begun = Promise.withResolvers<void>();
    const rounds = roundsOf((goesOn) =>
      inPieces(async () => {
        pieces += 1;
        if (pieces === 3) begun.resolve();
        await new Promise((resolve) => setImmediate(resolve));
        return true;
      }, goesOn),
    );
    const round = rounds.go();
    await begun.promise;
    await rounds.close();
    const atClose = pieces;
    await round;
    expect(pieces).toBe(atClose);
  });
});

describe('work in pieces', () => {
  it('ends when nothing is left', async () => {
    let left = 5;
    const work = async () => {
      if (left === 0) return false;
      left -= 1;
      return true;
    };
    expect(await inPieces(work, () => true)).toBe(true);
    expect(left).toBe(0);
  });
});
