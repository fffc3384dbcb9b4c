import { describe, expect, it } from '@jest/globals';
import { compare } from './bounds.ts';

const process = (pid: number, heapMb: number | undefined, pssMb: number) => ({
  name: `p${pid}`,
  pid,
  heapMb,
  pssMb,
  childrenMb: 0,
});

describe('the bounds of a soak', () => {
  it('are kept by a process that grew by at most 5 %', () => {
    const growths = compare([[process(1, 100, 200)], [process(1, 104, 209)]]);
    expect(growths.map(({ name, isBroken }) => [name, isBroken])).toEqual([
      ['p1: heap', false],
      ['p1: PSS', false],
    ]);
  });

  it('are broken by a heap or PSS that grew by more', () => {
    const growths = compare([
      [process(1, 100, 200), process(2, 80, 90)],
      [process(1, 106, 200), process(2, 80, 96)],
    ]);
    expect(growths.filter(({ isBroken }) => isBroken).map(({ name }) => name)).toEqual(['p1: heap', 'p2: PSS']);
  });

  it('leave the cache of a part that is not a service unbound, and are broken by a process that ended', () => {
    expect(compare([[process(1, undefined, 100)], [process(1, undefined, 200)]])).toMatchObject([
      { isBound: false, isBroken: false },
    ]);
    expect(compare([[process(1, 10, 100)], []])).toMatchObject([{ name: 'p1: ended', isBroken: true }]);
  });
});
