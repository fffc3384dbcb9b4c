/** Characters with which a spreadsheet begins a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: string | number | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns rows as CSV (RFC 4180). Text that a spreadsheet would run as a formula is prefixed with an apostrophe. */
export const csvOf = (titles: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string =>
  `${[titles, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
