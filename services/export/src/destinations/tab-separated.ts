import type { DatasetColumn as Column } from '@tidemark/datasets';
import type { SyncPlan, SyncRow } from './driver.ts';
import { META_COLUMNS, makeMetaValues } from './meta-columns.ts';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u0000': '' };
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches U+0000
const ESCAPED = /[\\\n\r\t\u0000]/g;

/**
 * Escapes a text for COPY of PostgreSQL and LOAD DATA of MySQL, which share these sequences. Removes what databases can not store: U+0000
 * and lone surrogates.
 */
export function escapedCell(text: string): string {
  const storable = text.isWellFormed() ? text : text.toWellFormed();
  return storable.search(ESCAPED) === -1 ? storable : storable.replace(ESCAPED, (found) => ESCAPES[found] ?? found);
}

/** Encodes a value that is not null as the escaped text of a cell. */
export type CellEncoder = (value: unknown, type: Column['type']) => string;

/** Characters of a chunk of lines. */
const CHUNK_CHARS = 64 * 1024;
const NULL = '\\N';

/**
 * Returns an encoder of rows as lines of tab-separated cells in UTF-8: the meta columns, then `plan.columns`. A value that repeats the one
 * above it is not encoded again.
 */
export type LineEncoder = (rows: readonly SyncRow[]) => Generator<Buffer>;

export function makeLineEncoder(plan: SyncPlan, encode: CellEncoder): LineEncoder {
  const metaValues = makeMetaValues(plan, new Date());
  const columns = [...META_COLUMNS, ...plan.columns];
  const lastValues: unknown[] = columns.map(() => undefined);
  const lastCells = columns.map(() => NULL);
  const cell = (value: unknown, at: number): string => {
    if (value === null || value === undefined) return NULL;
    if (value === lastValues[at]) return lastCells[at] ?? NULL;
    const text = encode(value, columns[at]?.type ?? 'text');
    lastValues[at] = value;
    lastCells[at] = text;
    return text;
  };
  const line = (row: SyncRow): string => {
    let text = '';
    let at = 0;
    for (const value of metaValues(row)) {
      text += at === 0 ? cell(value, at) : `\t${cell(value, at)}`;
      at += 1;
    }
    for (const { name } of plan.columns) {
      text += `\t${cell(row.values[name], at)}`;
      at += 1;
    }
    return `${text}\n`;
  };
  return function* (rows) {
    let lines = '';
    for (const row of rows) {
      lines += line(row);
      if (lines.length < CHUNK_CHARS) continue;
      yield Buffer.from(lines);
      lines = '';
    }
    if (lines !== '') yield Buffer.from(lines);
  };
}
