import { describe, expect, it } from '@jest/globals';
import { sendTime } from './send-time.ts';

const BERLIN = 'Europe/Berlin';
const at = (iso: string): Date => new Date(iso);
const timing = { deliver: 'now', at: '08:00' } as const;
const quiet = { from: '22:00', to: '07:00' };

describe('sendTime', () => {
  it.each([
    ['at once', timing, '2026-05-04T10:00:00Z', '2026-05-04T10:00:00Z'],
    ['at once outside of quiet hours', { ...timing, quiet }, '2026-05-04T19:59:00Z', '2026-05-04T19:59:00Z'],
    [
      'at the end of quiet hours from their first minute on',
      { ...timing, quiet },
      '2026-05-04T20:00:00Z',
      '2026-05-05T05:00:00Z',
    ],
    ['at the end of quiet hours after midnight', { ...timing, quiet }, '2026-05-04T23:30:00Z', '2026-05-05T05:00:00Z'],
    ['at once when quiet hours have ended', { ...timing, quiet }, '2026-05-05T05:00:00Z', '2026-05-05T05:00:00Z'],
    [
      'at the end of quiet hours within a day',
      { ...timing, quiet: { from: '09:00', to: '17:00' } },
      '2026-05-04T08:00:00Z',
      '2026-05-04T15:00:00Z',
    ],
    ['at the time of the day', { ...timing, deliver: 'daily' }, '2026-05-04T05:00:00Z', '2026-05-04T06:00:00Z'],
    ['at the time of the next day', { ...timing, deliver: 'daily' }, '2026-05-04T06:00:00Z', '2026-05-05T06:00:00Z'],
    ['on Monday', { ...timing, deliver: 'weekly' }, '2026-05-05T00:00:00Z', '2026-05-11T06:00:00Z'],
    [
      'at the end of quiet hours that hold the time of the day',
      { ...timing, deliver: 'daily', at: '06:00', quiet },
      '2026-05-04T10:00:00Z',
      '2026-05-05T05:00:00Z',
    ],
  ] as const)('is %s', (_, of, now, expected) => {
    expect(sendTime(of, BERLIN, at(now)).toISOString()).toBe(at(expected).toISOString());
  });

  it('is one time a day when the clock changes', () => {
    const daily = { deliver: 'daily', at: '02:30' } as const;
    for (const from of ['2026-03-28T12:00:00Z', '2026-10-24T12:00:00Z']) {
      const times: Date[] = [];
      for (let now = at(from); times.length < 3; now = times.at(-1) ?? now) times.push(sendTime(daily, BERLIN, now));
      const days = times.map((time) => time.toLocaleDateString('en-CA', { timeZone: BERLIN }));
      expect(new Set(days).size).toBe(3);
    }
  });
});
