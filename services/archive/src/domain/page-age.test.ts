import { describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { oldestIdAt } from './page-age.ts';

describe('the oldest id of a moment', () => {
  it('is behind every id minted before, and before every id minted from then on', () => {
    const earlier = Date.now();
    const id = newId('cap');
    const later = Date.now() + 1;
    expect(oldestIdAt(new Date(earlier)) <= id).toBe(true);
    expect(oldestIdAt(new Date(later)) > id).toBe(true);
  });
});
