import { expect, it } from '@jest/globals';
import { isRetriedStatus, RETRY_DELAYS_MINUTES } from '@tidemark/api';
import { RETRY_DELAYS_MS, transitionAfter } from '../src/domain/retry-schedule.ts';

it('the documented retry delays are those of deliveries', () => {
  expect(RETRY_DELAYS_MS.map((ms) => ms / 60_000)).toEqual(RETRY_DELAYS_MINUTES);
});

it('a delivery is retried after exactly the documented statuses', () => {
  const statuses = [0, ...Array.from({ length: 400 }, (_, index) => index + 200)];
  const before = { tries: 0, by: 'schedule' } as const;
  const retried = statuses.filter((status) => {
    const error = status >= 200 && status < 300 ? '' : 'refused';
    return transitionAfter(before, { status, error, answer: '' }, new Date()).status === 'retrying';
  });
  expect(retried).toEqual(statuses.filter(isRetriedStatus));
});
