/** How often runs start. `hourly` to `monthly` leave the exact minute to the server, which spreads projects over the hour. */
export const RHYTHMS = ['manual', 'hourly', 'daily', 'weekly', 'monthly', 'cron'] as const;
export type Rhythm = (typeof RHYTHMS)[number];

/** A schedule as a form edits it. */
export interface ScheduleDraft {
  readonly rhythm: Rhythm;
  /** `HH:MM`; undefined: at any time of the first hour. */
  readonly time: string | undefined;
  /** Day of the week, 0 is Sunday; of a weekly schedule. */
  readonly weekday: number;
  /** Day of the month, 1 to 28; of a monthly schedule. */
  readonly monthday: number;
  /** Five fields; of the rhythm `cron`. */
  readonly cron: string;
}

/** Months have at least this many days, so that a monthly run is never left out. */
export const MAX_MONTHDAY = 28;
const MONDAY = 1;
const BLANK: ScheduleDraft = { rhythm: 'manual', time: undefined, weekday: MONDAY, monthday: 1, cron: '' };

const FIXED = /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|[0-7])$/;
const twoDigits = (text: string): string => text.padStart(2, '0');

/** Reads a schedule of the API. An expression that the form has no fields for keeps its text. */
export function readSchedule(schedule: string): ScheduleDraft {
  const named = RHYTHMS.find((rhythm) => rhythm !== 'cron' && rhythm === schedule);
  if (named !== undefined) return { ...BLANK, rhythm: named };
  const other: ScheduleDraft = { ...BLANK, rhythm: 'cron', cron: schedule };
  const fields = FIXED.exec(schedule.trim());
  if (fields === null) return other;
  const [, minute = '', hour = '', monthday = '', weekday = ''] = fields;
  const day = Number(monthday);
  if (Number(minute) > 59 || Number(hour) > 23) return other;
  const at = { ...BLANK, time: `${twoDigits(hour)}:${twoDigits(minute)}` };
  if (monthday === '*' && weekday === '*') return { ...at, rhythm: 'daily' };
  if (monthday === '*') return { ...at, rhythm: 'weekly', weekday: Number(weekday) % 7 };
  return weekday === '*' && day >= 1 && day <= MAX_MONTHDAY ? { ...at, rhythm: 'monthly', monthday: day } : other;
}

/** Returns the schedule for the API. */
export function writeSchedule({ rhythm, time, weekday, monthday, cron }: ScheduleDraft): string {
  if (rhythm === 'cron') return cron.trim();
  if (rhythm === 'manual' || rhythm === 'hourly') return rhythm;
  const hasDefaults = (rhythm !== 'weekly' || weekday === MONDAY) && (rhythm !== 'monthly' || monthday === 1);
  if (time === undefined && hasDefaults) return rhythm;
  const [hour = '0', minute = '0'] = (time ?? '00:00').split(':');
  const days = rhythm === 'weekly' ? `* * ${weekday}` : rhythm === 'monthly' ? `${monthday} * *` : '* * *';
  return `${Number(minute)} ${Number(hour)} ${days}`;
}
