import { expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { isUnreachable } from './is-unreachable.ts';

const failed = (code: 'unavailable' | 'rate_limited', status?: number): AppError =>
  new AppError(code, 'no response', { cause: Object.assign(new Error('call failed'), { code: status }) });

it.each([
  ['could not be reached', true, failed('unavailable', 14)],
  ['reports unavailable', true, new AppError('unavailable', 'database unavailable')],
  ['exceeded the deadline', false, failed('unavailable', 4)],
  ['rate-limited the call', false, failed('rate_limited', 8)],
  ['failed otherwise', false, new Error('internal error')],
])('isUnreachable for a service that %s is %s', (_, expected, error) => {
  expect(isUnreachable(error)).toBe(expected);
});
