import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/datasets';
import { stringify } from 'csv-stringify/sync';
import { guardFormula } from './formula-guard.ts';

export interface CsvOptions {
  /** Prefix cells that a spreadsheet would run as a formula. */
  readonly guard: boolean;
  /** U+FEFF at the start, by which Excel recognizes UTF-8. */
  readonly bom: boolean;
  readonly delimiter: ',' | ';' | '\t';
}

/** Encodes rows as CSV (RFC 4180: CRLF, doubled quotes). Texts are quoted, so that an empty text differs from null; lists and objects are JSON. */
export function encodeCsv(rows: readonly Row[], columns: readonly Column[], { guard, delimiter }: CsvOptions): Buffer {
  const records = rows.map((row) => columns.map((each) => cellOf(row[each.name], each, guard)));
  return Buffer.from(write(records, delimiter));
}

/** Returns the header line. */
export function csvHeader(columns: readonly Column[], { bom, delimiter }: CsvOptions): Buffer {
  return Buffer.from((bom ? '\uFEFF' : '') + write([columns.map(({ name }) => name)], delimiter));
}

function write(records: readonly (readonly (string | null)[])[], delimiter: string): string {
  return stringify(
    records.map((record) => [...record]),
    { quoted_string: true, record_delimiter: '\r\n', delimiter },
  );
}

function cellOf(value: unknown, { type }: Column, guard: boolean): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  const text = typeof value === 'string' && type !== 'json' ? value : JSON.stringify(value);
  return guard ? guardFormula(text) : text;
}
