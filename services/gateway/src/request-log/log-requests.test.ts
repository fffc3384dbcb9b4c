import { describe, expect, it } from '@jest/globals';
import { bounded } from './log-requests.ts';

describe('a text of the request log', () => {
  it('has no control characters, because PostgreSQL refuses NUL and a terminal obeys escape sequences', () => {
    expect(bounded('a\u0000b\u001b[31mc', 300)).toBe('a b [31mc');
  });

  it('is cut at its limit without half of a surrogate pair', () => {
    expect(bounded('ab😀', 3)).toBe('ab\ufffd');
  });
});
