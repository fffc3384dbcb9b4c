const MINUTES = { weeks: 10_080, days: 1_440, hours: 60, minutes: 1, seconds: 1 / 60 } as const;
const DIVISORS = { minute: [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30], hour: [1, 2, 3, 4, 6, 8, 12] } as const;

/** Returns the largest divisor that is not longer than the interval. */
const fitting = (interval: number, divisors: readonly number[]): number =>
  divisors.filter((one) => one <= interval).at(-1) ?? 1;

/** Returns the schedule for an interval such as `{hours: 3}`: the nearest one that is not longer. Undefined for an empty interval. */
export function scheduleOf(interval: Readonly<Record<string, unknown>>): string | undefined {
  const minutes = Object.entries(MINUTES).reduce(
    (sum, [unit, factor]) => sum + Number(interval[unit] ?? 0) * factor,
    0,
  );
  if (!(minutes > 0)) return undefined;
  if (minutes >= 28 * 1_440) return 'monthly';
  if (minutes >= 7 * 1_440) return 'weekly';
  if (minutes >= 1_440) return 'daily';
  if (minutes >= 60) return minutes < 120 ? 'hourly' : `0 */${fitting(minutes / 60, DIVISORS.hour)} * * *`;
  return `*/${fitting(Math.max(1, minutes), DIVISORS.minute)} * * * *`;
}

const NAMED: Readonly<Record<string, number>> = { manual: 0, hourly: 720, daily: 30, weekly: 4.3, monthly: 1 };

/** Returns how many values of a field match, such as 4 for the minutes of a quarter-hourly schedule. */
function matches(field: string, from: number, to: number): number {
  const count = field.split(',').reduce((sum, part) => {
    const [range = '*', step = '1'] = part.split('/');
    const [first, last] = range === '*' ? [from, to] : range.split('-').map(Number);
    const end = last ?? (part.includes('/') ? to : (first ?? from));
    return sum + Math.floor((end - (first ?? from)) / Math.max(1, Number(step) || 1)) + 1;
  }, 0);
  return Math.max(0, Math.min(count, to - from + 1)) || 0;
}

/** Returns the number of runs in a month of 30 days. */
export function runsPerMonth(schedule: string): number {
  const named = NAMED[schedule];
  if (named !== undefined) return named;
  const [minute = '0', hour = '0', day = '*', month = '*', weekday = '*'] = schedule.trim().split(/\s+/);
  const days = day === '*' ? (30 * Math.min(7, matches(weekday, 0, 6))) / 7 : matches(day, 1, 31);
  return matches(minute, 0, 59) * matches(hour, 0, 23) * days * (matches(month, 1, 12) / 12);
}
