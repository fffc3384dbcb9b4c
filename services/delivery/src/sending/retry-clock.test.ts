import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../domain/delivery.ts';
import { moveAfter, RETRY_DELAYS_MS } from './retry-clock.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const answered = (status: number, more: Partial<Outcome> = {}): Outcome => ({
  ...{ status, error: status >= 200 && status < 300 ? '' : `HTTP ${status}`, answer: '' },
  ...more,
});
const first = { tries: 0, by: 'schedule' } as const;

describe('the retry clock', () => {
  it('waits 1 m, 5 m, 30 m, 2 h, 6 h and 12 h, and then pauses', () => {
    const waits: (number | string)[] = [];
    let move = moveAfter(first, answered(0), NOW);
    for (; move.nextAt !== undefined; move = moveAfter({ tries: move.tries, by: 'schedule' }, answered(503), NOW))
      waits.push((move.nextAt.getTime() - NOW.getTime()) / 60_000);
    expect([...waits, move.status]).toEqual([1, 5, 30, 120, 360, 720, 'paused']);
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
  ])('takes %s as %s', (status, became) => {
    expect(moveAfter(first, answered(status), NOW).status).toBe(became);
  });

  it('believes a sender that knows better than its status', () => {
    expect(moveAfter(first, answered(450, { isFinal: false }), NOW).status).toBe('retrying');
    expect(moveAfter(first, answered(550, { isFinal: true }), NOW).status).toBe('failed');
  });

  it('counts no redelivery as a try: it takes the place of the one that was waited for', () => {
    const waited = { tries: 3, by: 'redeliver' } as const;
    const move = moveAfter(waited, answered(500), NOW);
    expect(move).toEqual({ status: 'retrying', tries: 3, nextAt: new Date(NOW.getTime() + (RETRY_DELAYS_MS[2] ?? 0)) });
    expect(moveAfter({ tries: 0, by: 'redeliver' }, answered(500), NOW)).toMatchObject({
      status: 'retrying',
      tries: 1,
    });
  });
});
