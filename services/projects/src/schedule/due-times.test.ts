import { describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { checkSchedule, dueAfter, missedSince } from './due-times.ts';

const ID = newId('prj');
const AT = new Date('2026-03-25T12:34:56Z');
const HOUR_MS = 3_600_000;

const dueTimes = (schedule: string, timezone: string, times: number, from = AT): Date[] => {
  const due: Date[] = [];
  for (let i = 0; i < times; i += 1) {
    const next = dueAfter({ schedule, timezone }, ID, due.at(-1) ?? from);
    if (next !== undefined) due.push(next);
  }
  return due;
};

describe('a named schedule', () => {
  it.each([
    ['hourly', ['2026-03-25T13', '2026-03-25T14', '2026-03-25T15']],
    ['daily', ['2026-03-26T00', '2026-03-27T00', '2026-03-28T00']],
    ['weekly', ['2026-03-30T00', '2026-04-06T00', '2026-04-13T00']],
    ['monthly', ['2026-04-01T00', '2026-05-01T00', '2026-06-01T00']],
  ])('%s is due once in the first hour of its period', (schedule, hours) => {
    const from = new Date('2026-03-25T12:59:59Z');
    expect(dueTimes(schedule, 'UTC', 3, from).map((due) => due.toISOString().slice(0, 13))).toEqual(hours);
  });

  it('is spread over the hour by project', () => {
    const minutes = new Array<number>(60).fill(0);
    for (let i = 0; i < 1_200; i += 1) {
      const due = dueAfter({ schedule: 'daily', timezone: 'UTC' }, newId('prj'), AT);
      minutes[due?.getUTCMinutes() ?? 0] = (minutes[due?.getUTCMinutes() ?? 0] ?? 0) + 1;
    }
    expect(Math.max(...minutes)).toBeLessThan(60);
    expect(Math.min(...minutes)).toBeGreaterThan(0);
  });

  it('manual is never due', () => {
    expect(dueAfter({ schedule: 'manual', timezone: 'UTC' }, ID, AT)).toBeUndefined();
    expect(missedSince({ schedule: 'manual', timezone: 'UTC' }, ID, AT, new Date(AT.getTime() + HOUR_MS))).toBe(0);
  });
});

describe('a cron expression', () => {
  it('is due at its minute in its time zone, in summer and in winter', () => {
    const days = dueTimes('30 9 * * *', 'Europe/Berlin', 6).map((due) => due.toISOString().slice(0, 16));
    expect(days.slice(0, 5)).toEqual([
      '2026-03-26T08:30',
      '2026-03-27T08:30',
      '2026-03-28T08:30',
      '2026-03-29T07:30',
      '2026-03-30T07:30',
    ]);
  });

  it('in the hour that daylight saving time skips or repeats is due once that day', () => {
    const spring = dueTimes('30 2 * * *', 'Europe/Berlin', 3, new Date('2026-03-28T12:00:00Z'));
    const autumn = dueTimes('30 2 * * *', 'Europe/Berlin', 3, new Date('2026-10-24T12:00:00Z'));
    const day = (due: Date) => new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Berlin' }).format(due);
    expect(spring.map(day)).toEqual(['2026-03-29', '2026-03-30', '2026-03-31']);
    expect(autumn.map(day)).toEqual(['2026-10-25', '2026-10-26', '2026-10-27']);
  });
});

describe('missedSince', () => {
  it('counts the due times after the given one, up to a limit', () => {
    const schedule = { schedule: 'hourly', timezone: 'UTC' };
    const due = dueAfter(schedule, ID, AT) ?? AT;
    const after = (hours: number) => new Date(due.getTime() + hours * HOUR_MS);
    expect(missedSince(schedule, ID, due, due)).toBe(0);
    expect(missedSince(schedule, ID, due, after(5))).toBe(5);
    expect(missedSince(schedule, ID, due, after(24 * 365))).toBe(100);
  });
});

describe('checkSchedule', () => {
  it.each(['hourly', 'daily', 'weekly', 'monthly', 'manual', '*/5 * * * *', '0 9 * * MON-FRI', '0 0 29 2 *'])(
    'accepts %s',
    (schedule) => expect(() => checkSchedule({ schedule, timezone: 'Asia/Kolkata' }, AT)).not.toThrow(),
  );

  it.each([
    '',
    'yearly',
    '@daily',
    '* * * *',
    '* * * * * *',
    '61 * * * *',
    '0 0 30 2 *',
    `${'1,'.repeat(60)}1 * * * *`,
  ])('refuses "%s" and names what is expected', (schedule) =>
    expect(() => checkSchedule({ schedule, timezone: 'UTC' }, AT)).toThrow(/^schedule: /),
  );

  it.each(['', '+02:00', 'Mars/Olympus', 'Europe/'.repeat(20)])('refuses the time zone "%s"', (timezone) =>
    expect(() => checkSchedule({ schedule: 'daily', timezone }, AT)).toThrow(/^timezone: /),
  );
});
