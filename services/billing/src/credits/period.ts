/** A month of an allowance: from `start` to before `end`. */
export interface Period {
  readonly start: Date;
  readonly end: Date;
}

/**
 * Returns the period that contains `now`. Periods are calendar months (UTC) that begin at the day and time of `anchor`; a month without that
 * day begins on its last day (31 January, 28 February, 31 March).
 */
export function periodAt(anchor: Date, now: Date): Period {
  const months = (now.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + now.getUTCMonth() - anchor.getUTCMonth();
  // The period of this calendar month has not begun before the anchor's day and time.
  const index = addMonths(anchor, months) > now ? months - 1 : months;
  const first = Math.max(index, 0);
  return { start: addMonths(anchor, first), end: addMonths(anchor, first + 1) };
}

/** Adds calendar months (UTC), limited to the last day of the month. */
export function addMonths(from: Date, months: number): Date {
  const day = from.getUTCDate();
  const moved = new Date(from);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(day, lastDay));
  return moved;
}
