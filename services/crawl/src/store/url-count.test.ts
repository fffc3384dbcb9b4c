import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { withUrlCount } from './url-count.ts';

const Row = withUrlCount(z.object({ pattern: z.string(), urls: z.number() }));

describe('a stored count of URLs', () => {
  it('is read from rows that have it as urls, and from earlier rows that have it as addresses', () => {
    expect(Row.parse({ pattern: '/a', urls: 3 })).toEqual({ pattern: '/a', urls: 3 });
    expect(Row.parse({ pattern: '/a', addresses: 3 })).toEqual({ pattern: '/a', urls: 3 });
  });

  it('is required', () => {
    expect(Row.safeParse({ pattern: '/a' }).success).toBe(false);
  });
});
