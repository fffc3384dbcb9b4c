import type { DatasetColumn as Column } from '@tidemark/api';
import { storable, storableText } from '../storable.ts';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Encodes one row for COPY in text format (PostgreSQL documentation, COPY, Text Format). */
export function copyLine(values: readonly unknown[], columns: readonly Column[]): string {
  return `${values.map((value, at) => copyCell(value, columns[at]?.type ?? 'text')).join('\t')}\n`;
}

function copyCell(value: unknown, type: Column['type']): string {
  if (value === null || value === undefined) return '\\N';
  if (value instanceof Date) return value.toISOString();
  if (type === 'json' || type === 'list') return escaped(JSON.stringify(storable(value)));
  return escaped(typeof value === 'object' ? JSON.stringify(storable(value)) : String(value));
}

function escaped(text: string): string {
  return storableText(text).replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character);
}
