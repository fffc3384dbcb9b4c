import { createHash } from 'node:crypto';
import { AppError, messageOf } from '@tidemark/errors';
import { isTimezone } from '@tidemark/project-config';
import { Cron } from 'croner';

/** When runs are due without a request. */
export interface Schedule {
  /** manual, hourly, daily, weekly, monthly, or a cron expression of five fields. */
  readonly schedule: string;
  /** IANA. */
  readonly timezone: string;
}

const MAX_CHARS = 100;
const SECONDS_AN_HOUR = 3_600;
/** Limit of the count of missed due times: a larger number has no use. */
const MAX_MISSED = 100;

/** The hour of each named schedule, without its minute: projects are spread over the hour. Weeks start on Monday. */
const NAMED: Readonly<Record<string, string>> = {
  hourly: '* * * *',
  daily: '0 * * *',
  weekly: '0 * * 1',
  monthly: '0 1 * *',
};

/** Second inside the hour at which a project is due; spreads the load of projects that are due in the same hour. */
const secondInHour = (projectId: string): number =>
  createHash('sha256').update(projectId).digest().readUInt32BE(0) % SECONDS_AN_HOUR;

/** Converts a schedule to a cron expression with seconds. A cron expression keeps its minute; only its second is spread. */
function expressionOf(schedule: string, projectId: string): string {
  const offset = secondInHour(projectId);
  const second = offset % 60;
  const named = NAMED[schedule];
  return named === undefined ? `${second} ${schedule}` : `${second} ${Math.floor(offset / 60)} ${named}`;
}

const cronOf = ({ schedule, timezone }: Schedule, projectId: string): Cron =>
  new Cron(expressionOf(schedule, projectId), { timezone, mode: '6-part', paused: true });

/** Returns the first due time after `after`; undefined for the schedule `manual`. */
export function dueAfter(schedule: Schedule, projectId: string, after: Date): Date | undefined {
  if (schedule.schedule === 'manual') return undefined;
  return cronOf(schedule, projectId).nextRun(after) ?? undefined;
}

/** Counts the due times after `due` up to `now`: one late run replaces them all. */
export function missedSince(schedule: Schedule, projectId: string, due: Date, now: Date): number {
  if (schedule.schedule === 'manual') return 0;
  const cron = cronOf(schedule, projectId);
  let missed = 0;
  for (let at = cron.nextRun(due); at !== null && at <= now && missed < MAX_MISSED; at = cron.nextRun(at)) missed += 1;
  return missed;
}

const refused = (field: string, reason: string, cause?: unknown): AppError =>
  new AppError('validation', `${field}: ${reason}`, {
    detail: [{ loc: ['body', field], msg: reason, type: 'schedule_refused' }],
    ...(cause === undefined ? {} : { cause }),
  });

/** Refuses a schedule that is invalid or never due. @throws AppError validation */
export function checkSchedule({ schedule, timezone }: Schedule, now: Date): void {
  if (!isTimezone(timezone)) throw refused('timezone', 'expected an IANA time zone such as Europe/Berlin');
  if (schedule === 'manual' || NAMED[schedule] !== undefined) return;
  const what = 'expected manual, hourly, daily, weekly, monthly or a cron expression of five fields';
  if (schedule.length > MAX_CHARS || schedule.trim().split(/\s+/).length !== 5) throw refused('schedule', what);
  let next: Date | null;
  try {
    next = new Cron(schedule, { timezone, mode: '5-part', paused: true }).nextRun(now);
  } catch (cause) {
    throw refused('schedule', `${what}; ${messageOf(cause)}`, cause);
  }
  if (next === null) throw refused('schedule', 'this time never comes');
}
