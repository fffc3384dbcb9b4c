import { describe, expect, it } from '@jest/globals';
import { matchesEtag } from './matches-etag.ts';

describe('matchesEtag', () => {
  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"a"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['', false],
    [undefined, false],
  ])('compares If-None-Match %s with the tag "a"', (header, isMatch) => {
    expect(matchesEtag(header, '"a"')).toBe(isMatch);
  });
});
