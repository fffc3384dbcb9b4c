import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/api';

/** Encodes rows as JSON Lines: one object per line, keys in the order of the columns, missing values as null. */
export function encodeJsonLines(rows: readonly Row[], columns: readonly Column[]): Buffer {
  const names = columns.map(({ name }) => [name, `${JSON.stringify(name)}:`] as const);
  let text = '';
  for (const row of rows) {
    let separator = '{';
    for (const [name, key] of names) {
      text += `${separator}${key}${JSON.stringify(row[name] ?? null)}`;
      separator = ',';
    }
    text += names.length === 0 ? '{}\n' : '}\n';
  }
  return Buffer.from(text);
}
