import { describe, expect, it } from '@jest/globals';
import { programName } from './program-name.ts';

describe('the name of the program of a session', () => {
  it('is the browser with its system, or the first word of another program', () => {
    expect(programName('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/153.0 Safari/537.36')).toBe(
      'Chrome on Linux',
    );
    expect(programName('Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Edg/153.0')).toBe('Edge on Windows');
    expect(programName('curl/8.0')).toBe('curl');
    expect(programName('')).toBe('Unknown program');
  });
});
