import { describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { oldestIdAt } from './page-age.ts';

describe('the oldest id of a moment', () => {
  it('is greater than every id generated before the moment, and at most every id generated from then on', () => {
    const earlier = Date.now();
    const id = newId('cap');
    const later = Date.now() + 1;
    expect(oldestIdAt(new Date(earlier)) <= id).toBe(true);
    expect(oldestIdAt(new Date(later)) > id).toBe(true);
  });
});
