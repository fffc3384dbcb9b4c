import { describe, expect, it } from '@jest/globals';
import type { DeliveryResult } from './delivery.ts';
import { RETRY_DELAYS_MS, transitionAfter } from './retry-schedule.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const received = (status: number, more: Partial<DeliveryResult> = {}): DeliveryResult => ({
  status,
  error: status >= 200 && status < 300 ? '' : `HTTP ${status}`,
  answer: '',
  ...more,
});
const first = { tries: 0, by: 'schedule' } as const;

describe('the retry schedule', () => {
  it('waits 1 m, 5 m, 30 m, 2 h, 6 h and 12 h, and then pauses', () => {
    const waits: (number | string)[] = [];
    let transition = transitionAfter(first, received(0), NOW);
    for (
      ;
      transition.nextAt !== undefined;
      transition = transitionAfter({ tries: transition.tries, by: 'schedule' }, received(503), NOW)
    )
      waits.push((transition.nextAt.getTime() - NOW.getTime()) / 60_000);
    expect([...waits, transition.status]).toEqual([1, 5, 30, 120, 360, 720, 'paused']);
  });

  it.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [301, 'failed'],
    [304, 'failed'],
    [400, 'failed'],
    [404, 'failed'],
    [408, 'retrying'],
    [410, 'failed'],
    [429, 'retrying'],
    [500, 'retrying'],
    [599, 'retrying'],
    [0, 'retrying'],
    [600, 'retrying'],
  ])('maps status %s to %s', (status, became) => {
    expect(transitionAfter(first, received(status), NOW).status).toBe(became);
  });

  it('sends a test message once', () => {
    expect(transitionAfter({ ...first, isTest: true }, received(503), NOW)).toEqual({ status: 'failed', tries: 0 });
  });

  it('prefers isFinal to the status', () => {
    expect(transitionAfter(first, received(450, { isFinal: false }), NOW).status).toBe('retrying');
    expect(transitionAfter(first, received(550, { isFinal: true }), NOW).status).toBe('failed');
  });

  it('counts no redelivery as a try and replaces the pending retry by it', () => {
    const waited = { tries: 3, by: 'redeliver' } as const;
    const transition = transitionAfter(waited, received(500), NOW);
    expect(transition).toEqual({
      status: 'retrying',
      tries: 3,
      nextAt: new Date(NOW.getTime() + (RETRY_DELAYS_MS[2] ?? 0)),
    });
    expect(transitionAfter({ tries: 0, by: 'redeliver' }, received(500), NOW)).toMatchObject({
      status: 'retrying',
      tries: 1,
    });
  });
});
