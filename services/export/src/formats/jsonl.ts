import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/datasets';

/** Characters that are encoded together. V8 allocates longer texts outside the young generation, where collections are dearer. */
const CHUNK = 96 * 1024;

/** Encodes rows as JSON Lines: one object per line, keys in the order of the columns, missing values as null. */
export function* encodeJsonLines(rows: readonly Row[], columns: readonly Column[]): Generator<Buffer> {
  const names = columns.map(({ name }) => [name, `${JSON.stringify(name)}:`] as const);
  let text = '';
  for (const row of rows) {
    let separator = '{';
    for (const [name, key] of names) {
      text += `${separator}${key}${JSON.stringify(row[name] ?? null)}`;
      separator = ',';
    }
    text += names.length === 0 ? '{}\n' : '}\n';
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
