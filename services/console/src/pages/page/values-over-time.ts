import type { StoredPage } from '@tidemark/sdk';

/** What one reading of a page has found. */
export interface ReadValues {
  readonly crawledAt: string;
  readonly price: number | null;
  readonly currency: string | null;
  readonly fields: Readonly<Record<string, unknown>> | null;
}

/** The values of one field, oldest first. */
export interface Series {
  /** Undefined: the price of the product. */
  readonly field: string | undefined;
  readonly currency: string | null;
  readonly points: readonly { readonly at: string; readonly value: number }[];
}

/** A change of a field whose values are no numbers. */
export interface ValueChange {
  readonly at: string;
  readonly field: string;
  readonly old: string | null;
  readonly now: string | null;
}

/** A number, alone or with the sign of its currency or unit: "49", "€49.90", "12 %". Separators of thousands differ by language and are not read. */
const NUMBER = /^[^\d\s.,-]{0,3}\s?(-?\d+(?:\.\d+)?)\s?[^\d.,]{0,4}$/u;

function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const found = typeof value === 'string' ? NUMBER.exec(value.trim())?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}

const textIn = (value: unknown): string | null => {
  if (value === null || value === undefined || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Returns the readings of a page, the shown one among them, oldest first. */
export function readingsOf(page: StoredPage): ReadValues[] {
  const own = {
    crawledAt: page.crawledAt,
    price: page.product?.price ?? null,
    currency: page.product?.currency ?? null,
    fields: page.fields,
  };
  return [own, ...page.versions].sort((one, other) => one.crawledAt.localeCompare(other.crawledAt));
}

/** Returns the price and every numeric field over time, and the changes of the other fields, newest first. */
export function valuesOverTime(readings: readonly ReadValues[]): { series: Series[]; changes: ValueChange[] } {
  const prices = readings.flatMap(({ crawledAt: at, price: value }) => (value === null ? [] : [{ at, value }]));
  const currency = readings.findLast((one) => one.price !== null)?.currency ?? null;
  const names = [...new Set(readings.flatMap(({ fields }) => Object.keys(fields ?? {})))];
  const series: Series[] = prices.length === 0 ? [] : [{ field: undefined, currency, points: prices }];
  const changes: ValueChange[] = [];
  for (const field of names) {
    const read = readings.flatMap(({ crawledAt: at, fields }) =>
      fields === null ? [] : [{ at, value: fields[field] }],
    );
    const known = read.filter(({ value }) => textIn(value) !== null);
    const points = known.flatMap(({ at, value }) => {
      const number = numberIn(value);
      return number === undefined ? [] : [{ at, value: number }];
    });
    if (points.length === known.length && points.length > 0) series.push({ field, currency: null, points });
    else changes.push(...changesIn(field, read));
  }
  return { series, changes: changes.sort((one, other) => other.at.localeCompare(one.at)) };
}

const changesIn = (field: string, read: readonly { readonly at: string; readonly value: unknown }[]): ValueChange[] =>
  read.flatMap(({ at, value }, index) => {
    const before = read[index - 1];
    const [old, now] = [before === undefined ? null : textIn(before.value), textIn(value)];
    return before === undefined || old === now ? [] : [{ at, field, old, now }];
  });
