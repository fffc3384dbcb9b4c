/** Digits of the running number. */
const DIGITS = 6;

/** Returns the series that a document belongs to: its prefix and the year of accounts, in India from April to March. */
export function seriesOf(prefix: string, country: string, issuedAt: Date): string {
  const year = issuedAt.getUTCFullYear();
  if (country !== 'IN') return `${prefix}/${year}`;
  // Indian standard time is 5.5 hours ahead of UTC.
  const local = new Date(issuedAt.getTime() + 5.5 * 3_600_000);
  const first = local.getUTCMonth() >= 3 ? local.getUTCFullYear() : local.getUTCFullYear() - 1;
  return `${prefix}/${twoDigits(first)}-${twoDigits(first + 1)}`;
}

const twoDigits = (year: number): string => String(year % 100).padStart(2, '0');

/** Returns a number of at most 16 characters, the limit of Indian invoices (CGST rules, rule 46). */
export const documentNumber = (series: string, n: number): string => `${series}/${String(n).padStart(DIGITS, '0')}`;
