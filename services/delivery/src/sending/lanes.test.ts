import { describe, expect, it } from '@jest/globals';
import { Lanes } from './lanes.ts';

/** Claims all that lanes may have, as if each had endless messages. */
function claimAll(lanes: Lanes): string[] {
  const claimed: string[] = [];
  for (;;) {
    const rooms = lanes.takeRooms();
    const some = rooms.flatMap(({ lane, places }) => Array.from({ length: places }, () => lane));
    lanes.claimed(rooms, some);
    claimed.push(...some);
    if (some.length === 0) return claimed;
  }
}

const countIn = (lanes: readonly string[], lane: string): number => lanes.filter((one) => one === lane).length;

describe('lanes', () => {
  it('have eight places each, and give them again as messages come back', () => {
    const lanes = new Lanes();
    lanes.ripen(['a', 'b']);
    expect(countIn(claimAll(lanes), 'a')).toBe(8);
    lanes.end('a', true);
    expect(claimAll(lanes)).toEqual(['a']);
  });

  it('that fail three times in a row have one, and eight again with a success', () => {
    const lanes = new Lanes();
    lanes.ripen(['a']);
    claimAll(lanes);
    for (let n = 0; n < 8; n += 1) lanes.end('a', false);
    expect(claimAll(lanes)).toEqual(['a']);
    lanes.end('a', true);
    expect(claimAll(lanes)).toHaveLength(8);
    expect(lanes.inFlight).toBe(8);
  });

  it('that fail never take the places of those that don’t, however many they are', () => {
    const lanes = new Lanes();
    const dead = Array.from({ length: 300 }, (_, n) => `dead ${n}`);
    for (const lane of dead) {
      for (let n = 0; n < 3; n += 1) lanes.begin(lane);
      for (let n = 0; n < 3; n += 1) lanes.end(lane, false);
    }
    lanes.ripen(dead);
    lanes.ripen(['well']);
    const claimed = claimAll(lanes);
    expect(claimed.filter((lane) => lane !== 'well')).toHaveLength(50);
    expect(countIn(claimed, 'well')).toBe(8);
  });

  it('share two hundred places, and have one each while half of them are taken', () => {
    const lanes = new Lanes();
    const busy = Array.from({ length: 150 }, (_, n) => `lane ${n}`);
    lanes.ripen(busy);
    const claimed = claimAll(lanes);
    expect(claimed).toHaveLength(200);
    expect(new Set(claimed).size).toBeGreaterThan(100);
    for (const lane of claimed.slice(0, 60)) lanes.end(lane, true);
    const next = claimAll(lanes);
    expect(next.length).toBeGreaterThan(40);
    expect(new Set(next).size).toBe(next.length);
  });

  it('forget nothing of what is out when they begin or cease to fail', () => {
    const lanes = new Lanes({ all: 200, lane: 8, failing: 2 });
    lanes.ripen(['a']);
    claimAll(lanes);
    for (let n = 0; n < 3; n += 1) lanes.end('a', false);
    for (let n = 0; n < 4; n += 1) lanes.end('a', true);
    lanes.end('a', false);
    expect(lanes.inFlight).toBe(0);
    for (const lane of ['b', 'c', 'd'])
      for (const step of ['begin', 'end'] as const)
        for (let n = 0; n < 3; n += 1) step === 'begin' ? lanes.begin(lane) : lanes.end(lane, false);
    lanes.ripen(['b', 'c', 'd']);
    expect(claimAll(lanes).filter((lane) => lane !== 'a')).toEqual(['b', 'c']);
  });
});
