import { describe, expect, it } from '@jest/globals';
import { programOf } from '../browser/accounts/program-of.ts';

describe('the name of the program of a session on the page of the account', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/153.0 Safari/537.36', 'Chrome on Linux'],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Edg/153.0', 'Edge on Windows'],
    ['curl/8.0', 'curl'],
    ['', 'Unknown program'],
  ])('of %j is %s, as in the console', (userAgent, name) => {
    expect(programOf(userAgent)).toBe(name);
  });
});
