import { describe, expect, it } from '@jest/globals';
import { upgradeRefusal } from './versions.ts';

describe('an upgrade', () => {
  it.each([
    ['1.0.0', '1.0.0'],
    ['1.0.0', '1.0.4'],
    ['1.0.3', '1.1.0'],
    ['1.9.2', '2.0.0'],
  ])('from %s to %s is accepted', (from, to) => {
    expect(upgradeRefusal(from, to)).toBeUndefined();
  });

  it.each([
    ['1.1.0', '1.0.9', 'older'],
    ['1.0.0', '1.2.0', 'upgrade to 1.1 first'],
    ['1.9.0', '2.1.0', 'upgrade to 2.0 first'],
    ['1.9.0', '3.0.0', 'upgrade to 2.0 first'],
  ])('from %s to %s is refused with the next step', (from, to, expected) => {
    expect(upgradeRefusal(from, to)).toContain(expected);
  });
});
