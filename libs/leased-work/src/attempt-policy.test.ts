import { describe, expect, it } from '@jest/globals';
import { ATTEMPT_POLICIES, type AttemptPolicy, afterFailure } from './attempt-policy.ts';

describe('afterFailure', () => {
  it('waits as the policy states, repeats its last delay, and gives up after the last attempt', () => {
    const policy: AttemptPolicy = { maxAttempts: 4, retrySeconds: [2, 10], reason: 'a test' };
    expect([1, 2, 3, 4].map((attempts) => afterFailure(policy, attempts))).toEqual([
      { next: 'retry', inSeconds: 2 },
      { next: 'retry', inSeconds: 10 },
      { next: 'retry', inSeconds: 10 },
      { next: 'give_up' },
    ]);
  });

  it('never gives up where a time limit of the queue ends the work', () => {
    const policy = ATTEMPT_POLICIES['delivery.watches'];
    expect([1, 3, 7, 1_000].map((attempts) => afterFailure(policy, attempts))).toEqual(
      [1, 4, 60, 60].map((inSeconds) => ({ next: 'retry', inSeconds })),
    );
  });
});
