const DAY_MS = 86_400_000;

/** Returns a whole number as SQL. @returns undefined if the text is none, or is too large */
export function readNumber(text: string): string | undefined {
  if (!/^-?\d{1,15}$/.test(text)) return undefined;
  return String(Number(text));
}

/** Returns a decimal number as SQL, without an exponent. @returns undefined if the text is none, or is too large */
export const readDecimal = (text: string): string | undefined =>
  /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text) ? String(Number(text)) : undefined;

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?(?:\.(\d{1,3}))?(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * Returns the period of a date: of a day in UTC, or of a minute. The year is limited to what PostgreSQL accepts.
 */
export function readDate(text: string): { readonly from: Date; readonly before: Date } | undefined {
  const [, day, minute, second, fraction, zone] = DATE.exec(text) ?? [];
  if (day === undefined || day < '1970') return undefined;
  const time = minute === undefined ? '00:00:00' : `${minute}${second ?? ':00'}`;
  const from = new Date(`${day}T${time}.${(fraction ?? '0').padEnd(3, '0')}${zone?.toUpperCase() ?? 'Z'}`);
  if (Number.isNaN(from.getTime()) || !sameDay(day, from)) return undefined;
  const spanMs = minute === undefined ? DAY_MS : second === undefined ? 60_000 : fraction === undefined ? 1_000 : 1;
  return { from, before: new Date(from.getTime() + spanMs) };
}

/** Returns whether a date exists: Date.parse changes 30 February to another day. A time zone moves a day by one at most. */
function sameDay(day: string, at: Date): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return midnight.toISOString().slice(0, 10) === day && Math.abs(at.getTime() - midnight.getTime()) <= 2 * DAY_MS;
}
