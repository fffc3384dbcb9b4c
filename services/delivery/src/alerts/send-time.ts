import type { AlertRule } from '@tidemark/project-config';
import { Cron } from 'croner';

/** When the matches of a rule are sent. */
export type AlertTiming = Pick<AlertRule, 'deliver' | 'at' | 'quiet'>;

/** Returns the first time after `after` that is this time of day in the time zone; a Monday where `day` is 1. */
function nextAt(timeOfDay: string, timezone: string, after: Date, day: '*' | '1' = '*'): Date | undefined {
  const [hour = '0', minute = '0'] = timeOfDay.split(':');
  const cron = new Cron(`${Number(minute)} ${Number(hour)} * * ${day}`, { timezone, mode: '5-part', paused: true });
  return cron.nextRun(after) ?? undefined;
}

/**
 * Returns when a match is sent: now, or at the next time of its collection; within quiet hours at their end. Days are those of the time
 * zone: a time that the change of the clock skips is the one after it, and a day has one.
 */
export function sendTime({ deliver, at, quiet }: AlertTiming, timezone: string, now: Date): Date {
  const due = deliver === 'now' ? now : (nextAt(at, timezone, now, deliver === 'weekly' ? '1' : '*') ?? now);
  if (quiet === undefined) return due;
  const [begins, ends] = [nextAt(quiet.from, timezone, due), nextAt(quiet.to, timezone, due)];
  const isQuiet = begins !== undefined && ends !== undefined && ends < begins;
  return isQuiet ? ends : due;
}
