import { Cron } from 'croner';

/** Start times of the named schedules; the server spreads the minute over the hour that begins then. */
const NAMED: Readonly<Record<string, string>> = {
  hourly: '0 * * * *',
  daily: '0 0 * * *',
  weekly: '0 0 * * 1',
  monthly: '0 0 1 * *',
};
const SHOWN = 3;
const HOUR_MS = 3_600_000;

/** A start: an exact time, or any time of an hour. */
export interface NextRun {
  readonly from: Date;
  /** undefined: exactly at `from`. */
  readonly until: Date | undefined;
}

/** Returns the next three starts of a schedule; none for a manual one, undefined for an expression or a time zone that is not valid. */
export function nextRuns(schedule: string, timezone: string, now: Date): readonly NextRun[] | undefined {
  if (schedule === 'manual') return [];
  const named = NAMED[schedule];
  try {
    // Five fields only: the server refuses seconds, years and names such as @daily.
    if (named === undefined && schedule.trim().split(/\s+/).length !== 5) return undefined;
    const times = new Cron(named ?? schedule, { timezone, mode: '5-part', paused: true }).nextRuns(SHOWN, now);
    return times.map((from) => ({
      from,
      until: named === undefined ? undefined : new Date(from.getTime() + HOUR_MS),
    }));
  } catch {
    return undefined;
  }
}
