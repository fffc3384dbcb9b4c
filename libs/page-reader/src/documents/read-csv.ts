import { parse } from 'csv-parse/sync';
import { decodeBody } from '../page/decode-body.ts';
import type { DocumentContent, DocumentInput, DocumentLimits } from './model/document.ts';
import { SNIFFED_LINES } from './model/thresholds.ts';
import { table } from './model/write-html.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** Reads rows of values. The html table is limited; the text has every row that was read. */
export async function readCsv(input: DocumentInput, limits: DocumentLimits): Promise<DocumentContent> {
  const { html: whole } = decodeBody(input.bytes, input.contentType);
  const source = whole.length > limits.textChars ? cutAtLine(whole, limits.textChars) : whole;
  const notes = source.length < whole.length ? [`document cut after ${limits.textChars} characters`] : [];
  const rows = rowsOf(source, input.kind === 'tsv' ? '\t' : delimiterOf(source));
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const width = Math.min(columns, limits.columns);
  const height = Math.min(rows.length, limits.rows, Math.max(1, Math.floor(limits.cells / Math.max(1, width))));
  if (height < rows.length) notes.push(`table cut after ${height} of ${rows.length} rows`);
  if (width < columns) notes.push(`table cut after ${width} of ${columns} columns`);
  const shown = rows.slice(0, height).map((row) => Array.from({ length: width }, (_, i) => row[i] ?? ''));
  return {
    html: shown.length === 0 ? '' : table(shown),
    text: rows.map((row) => row.join('\t')).join('\n'),
    properties: { kind: input.kind, rows: rows.length, columns },
    notes,
    shape: 'table',
  };
}

const cutAtLine = (text: string, chars: number): string => {
  const end = text.lastIndexOf('\n', chars);
  return text.slice(0, end > 0 ? end : chars);
};

function rowsOf(source: string, delimiter: string): string[][] {
  const options = { delimiter, bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true };
  try {
    return textRows(parse(source, options));
  } catch {
    // If a quote is not closed, quotes are ordinary characters.
    return textRows(parse(source, { ...options, quote: false }));
  }
}

const textRows = (parsed: unknown): string[][] =>
  Array.isArray(parsed) ? parsed.map((row: unknown) => (Array.isArray(row) ? row.map(String) : [])) : [];

/** Returns the delimiter that splits most of the first lines into the same number of values. */
function delimiterOf(source: string): string {
  const lines = source
    .slice(0, 65_536)
    .split(/\r?\n/, SNIFFED_LINES)
    .filter((line) => line.trim() !== '');
  let best = { delimiter: ',', score: 0 };
  for (const delimiter of DELIMITERS) {
    const counts = lines.map((line) => line.replace(/"[^"]{0,10000}"/g, '').split(delimiter).length - 1);
    const usual = mostCommon(counts);
    const agreeing = counts.filter((count) => count === usual).length / Math.max(1, counts.length);
    const score = usual === 0 ? 0 : agreeing * 100 + Math.min(usual, 50) / 100;
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

function mostCommon(counts: readonly number[]): number {
  const times = new Map<number, number>();
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1);
  return [...times].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0;
}
