import { expect, it } from '@jest/globals';
import { retryAfterSeconds } from './retry-after.ts';

const DATE = 'Mon, 01 Jan 2030 00:00:00 GMT';

it.each([
  ['seconds', { 'retry-after': '7' }, 7],
  ['spaces around seconds', { 'retry-after': ' 7 ' }, 7],
  ['a date, relative to the Date header', { 'retry-after': 'Mon, 01 Jan 2030 00:00:09 GMT', date: DATE }, 9],
  ['a date that has passed', { 'retry-after': 'Mon, 01 Jan 2029 00:00:09 GMT', date: DATE }, 0],
  ['more than a day as a day', { 'retry-after': '999999999' }, 86_400],
  ['the first of several headers', { 'retry-after': ['5', '9'] }, 5],
  ['no header', {}, undefined],
  ['no time', { 'retry-after': 'soon' }, undefined],
])('reads Retry-After: %s', (_, headers, seconds) => {
  expect(retryAfterSeconds(headers)).toBe(seconds);
});

it('reads a date relative to now if the response has no Date header', () => {
  const seconds = retryAfterSeconds({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
  expect(seconds).toBeGreaterThan(50);
  expect(seconds).toBeLessThanOrEqual(60);
});
