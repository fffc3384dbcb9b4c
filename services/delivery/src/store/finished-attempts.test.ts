import { describe, expect, it } from '@jest/globals';
import { transitionAfter } from '../domain/retry-schedule.ts';
import { type FinishedAttempt, healthOf } from './finished-attempts.ts';
import { backlogHolds } from './postpone-backlog.ts';

const AT = new Date('2030-01-01T00:00:00Z');

/** An attempt with this response status; `tries` retries were scheduled before it. */
function attempt(receiverId: string, status: number, tries = 0, kind: 'webhook' | 'mail' = 'webhook'): FinishedAttempt {
  const ids = { id: 'whd_1', token: 't', queueKey: 'l', workspaceId: 'ws_1', projectId: 'prj_1', receiverId };
  const claimed = {
    ...ids,
    event: 'run.finished',
    kind,
    recipient: '',
    body: '{}',
    isTest: false,
    attempts: tries,
    tries,

    by: 'schedule' as const,
    interruptions: 0,
    receiver: undefined,
  };
  const result = { status, error: status === 200 ? '' : `HTTP ${status}`, answer: '' };
  return {
    claimed,
    at: AT,
    endedAt: AT,
    durationMs: 5,
    url: '',
    result,
    transition: transitionAfter(claimed, result, AT),
  };
}

const healthAfter = (...finished: readonly FinishedAttempt[]) =>
  healthOf(finished).find(({ receiverId }) => receiverId === 'a');

describe('the health of a receiver', () => {
  it('counts the failures since the last success, and holds the status of the last of them', () => {
    const health = healthAfter(attempt('a', 500), attempt('a', 200), attempt('a', 502), attempt('a', 503));
    expect(health).toMatchObject({ failures: 2, hasSucceeded: true, status: 503, error: 'HTTP 503', deliveredAt: AT });
  });

  it('adds to the stored failures while nothing succeeds', () => {
    expect(healthAfter(attempt('a', 500), attempt('b', 200))).toMatchObject({ failures: 1, hasSucceeded: false });
  });

  it('is paused only by a delivery that ran out of tries', () => {
    expect(healthAfter(attempt('a', 500, 5), attempt('a', 404))).toMatchObject({ pausedAt: null });
    expect(healthAfter(attempt('a', 500, 6))).toMatchObject({ pausedAt: AT });
  });
});

describe('a failed test message', () => {
  const failed = attempt('a', 500);
  const test = { ...failed, claimed: { ...failed.claimed, isTest: true } };

  it('does not change the health of its receiver', () => {
    expect(healthAfter(test)).toBeUndefined();
    expect(healthAfter(attempt('a', 200), test)).toMatchObject({ failures: 0, failedAt: null });
  });
});

describe('the postponement of a receiver’s backlog', () => {
  const holdsAfter = (...finished: readonly FinishedAttempt[]) =>
    backlogHolds(finished).map(({ receiverId, nextAt }) => [receiverId, nextAt && nextAt.getTime() - AT.getTime()]);

  it('lasts until the next try of the last failure, and is final once a delivery has used up its tries', () => {
    expect(holdsAfter(attempt('a', 500), attempt('b', 500), attempt('a', 500, 1))).toEqual([
      ['a', 300_000],
      ['b', 60_000],
    ]);
    expect(holdsAfter(attempt('a', 500, 6), attempt('a', 500))).toEqual([['a', null]]);
  });

  it('is lifted by a success, and is not caused by a refusal or a mail', () => {
    expect(holdsAfter(attempt('a', 500), attempt('a', 200))).toEqual([]);
    expect(holdsAfter(attempt('a', 404), attempt('b', 451, 0, 'mail'), attempt('c', 500, 0, 'mail'))).toEqual([]);
  });
});
