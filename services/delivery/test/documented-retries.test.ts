import { expect, it } from '@jest/globals';
import { RETRY_DELAYS_MINUTES } from '@tidemark/webhook-events';
import { RETRY_DELAYS_MS } from '../src/domain/retry-schedule.ts';

it('the documented retry delays are those of deliveries', () => {
  expect(RETRY_DELAYS_MS.map((ms) => ms / 60_000)).toEqual(RETRY_DELAYS_MINUTES);
});
