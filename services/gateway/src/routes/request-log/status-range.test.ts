import { describe, expect, it } from '@jest/globals';
import { statusRange } from './status-range.ts';

describe('statusRange', () => {
  it.each([
    [undefined, {}],
    ['failed', { statusFrom: 400 }],
    ['4xx', { statusFrom: 400, statusBelow: 500 }],
    ['404', { statusFrom: 404, statusBelow: 405 }],
  ])('returns the statuses of the filter %j', (status, range) => expect(statusRange(status)).toEqual(range));
});
