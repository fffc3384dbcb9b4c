import { refuseValue } from './refusal.ts';

const NAMED: Readonly<Record<string, string>> = {
  hourly: '0 * * * *',
  daily: '0 0 * * *',
  weekly: '0 0 * * 0',
  monthly: '0 0 1 * *',
};
const HINT = 'a cron expression, or a text such as hourly, daily, daily at 9:00, every 30 minutes, every 6 hours';
const MINUTES_PER_HOUR = 60;
const HOURS_PER_DAY = 24;

/** Returns the cron expression of an interval that divides its unit; undefined for others, which no expression states. */
function every(count: number, unit: string): string | undefined {
  const isMinutes = unit.startsWith('minute');
  const whole = isMinutes ? MINUTES_PER_HOUR : HOURS_PER_DAY;
  if (count < 1 || whole % count !== 0) return undefined;
  if (isMinutes) return count === whole ? NAMED['hourly'] : `*/${count} * * * *`;
  return count === whole ? NAMED['daily'] : `0 */${count} * * *`;
}

/** Returns the cron expression for the texts that Firecrawl’s documentation names. @throws Refusal for others */
export function cronOfText(text: string, name: string): string {
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const named = Object.hasOwn(NAMED, words) ? NAMED[words] : undefined;
  const [, count, unit] = /^every (?:(\d{1,2}) )?(minutes?|hours?)$/.exec(words) ?? [];
  const [, hour, minute = '0'] = /^(?:daily|every day) at (\d{1,2})(?::(\d{2}))?$/.exec(words) ?? [];
  const interval = unit === undefined ? undefined : every(Number(count ?? 1), unit);
  const isTime = hour !== undefined && Number(hour) < HOURS_PER_DAY && Number(minute) < MINUTES_PER_HOUR;
  const found = named ?? interval ?? (isTime ? `${Number(minute)} ${Number(hour)} * * *` : undefined);
  return found ?? refuseValue(name, HINT);
}

/** Returns the cron expression of a schedule here; undefined for `manual`. */
export const cronOf = (schedule: string): string | undefined =>
  schedule === 'manual' ? undefined : Object.hasOwn(NAMED, schedule) ? NAMED[schedule] : schedule;
