import { expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { isUnreachable } from './is-unreachable.ts';

const failed = (code: 'unavailable' | 'rate_limited', status?: number): AppError =>
  new AppError(code, 'no answer', { cause: Object.assign(new Error('of the call'), { code: status }) });

it.each([
  ['could not be reached', true, failed('unavailable', 14)],
  ['said so itself', true, new AppError('unavailable', 'its store is away')],
  ['took too long', false, failed('unavailable', 4)],
  ['had no turn for it', false, failed('rate_limited', 8)],
  ['failed otherwise', false, new Error('a fault of ours')],
])('a service that %s is away: %s', (_, expected, error) => {
  expect(isUnreachable(error)).toBe(expected);
});
