import { describe, expect, it } from '@jest/globals';
import { MAX_TRAPS, RunTraps } from './run-traps.ts';

describe('RunTraps', () => {
  it('adds the URLs that are cut off to those of the run, and names the traps that the run does not have', () => {
    const traps = new RunTraps([{ pattern: '/old', urls: 1, why: 'known' }]);
    expect([traps.changed, traps.added]).toEqual([undefined, []]);
    traps.cut('/old', 2, 'another reason');
    traps.cut('/#/#', 1, 'a calendar');
    const added = { pattern: '/#/#', urls: 1, why: 'a calendar' };
    expect(traps.changed).toEqual([{ pattern: '/old', urls: 3, why: 'known' }, added]);
    expect(traps.added).toEqual([added]);
  });

  it('reports a bounded number of patterns', () => {
    const traps = new RunTraps([]);
    for (let at = 0; at < 1_000; at += 1) traps.cut(`/p${'x'.repeat(at)}`, 1, 'a trap');
    expect(traps.changed).toHaveLength(MAX_TRAPS);
  });
});
