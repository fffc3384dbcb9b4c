import { describe, expect, it } from '@jest/globals';
import { nextRuns } from './next-runs.ts';
import { readSchedule, writeSchedule } from './schedule-draft.ts';

describe('the builder of schedules', () => {
  it('keeps every schedule that it reads', () => {
    for (const schedule of [
      'manual',
      'hourly',
      'daily',
      'weekly',
      'monthly',
      '30 6 * * *',
      '0 9 * * 5',
      '15 22 28 * *',
      '*/10 8-18 * * 1-5',
      '0 0 31 * *',
      '61 0 * * *',
    ])
      expect(writeSchedule(readSchedule(schedule))).toBe(schedule);
  });

  it('reads times and days of expressions, and keeps others as text', () => {
    expect(readSchedule('5 7 * * 0')).toMatchObject({ rhythm: 'weekly', time: '07:05', weekday: 0 });
    expect(readSchedule('0 7 3 * *')).toMatchObject({ rhythm: 'monthly', time: '07:00', monthday: 3 });
    expect(readSchedule('0 7 31 * *')).toMatchObject({ rhythm: 'cron', cron: '0 7 31 * *' });
    expect(readSchedule('0 7 * 2 1')).toMatchObject({ rhythm: 'cron' });
  });

  it('writes a named schedule only where no day or time differs from it', () => {
    const weekly = readSchedule('weekly');
    expect(writeSchedule({ ...weekly, weekday: 5 })).toBe('0 0 * * 5');
    expect(writeSchedule({ ...weekly, time: '08:30' })).toBe('30 8 * * 1');
  });
});

describe('the next runs of a schedule', () => {
  const now = new Date('2026-03-27T10:30:00Z');
  const times = (schedule: string, timezone = 'UTC') =>
    nextRuns(schedule, timezone, now)?.map(({ from }) => from.toISOString());

  it('are three, in the time zone of the schedule, across the change to summer time', () => {
    expect(times('0 9 * * *', 'Europe/Berlin')).toEqual([
      '2026-03-28T08:00:00.000Z',
      '2026-03-29T07:00:00.000Z',
      '2026-03-30T07:00:00.000Z',
    ]);
  });

  it('of a named schedule are any time of an hour, because the server spreads them', () => {
    const [first] = nextRuns('daily', 'UTC', now) ?? [];
    expect(first).toEqual({ from: new Date('2026-03-28T00:00:00Z'), until: new Date('2026-03-28T01:00:00Z') });
  });

  it('are none for a manual schedule, and unknown for what the server refuses', () => {
    expect(times('manual')).toEqual([]);
    for (const schedule of ['', '* * * *', '0 0 0 * * *', '@daily', 'x y z * *'])
      expect(times(schedule)).toBeUndefined();
    expect(times('0 9 * * *', 'Europe/Nowhere')).toBeUndefined();
  });
});
