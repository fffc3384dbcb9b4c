import type { DatasetColumn as Column } from '@tidemark/api';
import { storable } from '../storable.ts';
import { escapedCell } from '../tab-separated.ts';

/** Encodes one row for COPY in text format (PostgreSQL documentation, COPY, Text Format). */
export function copyLine(values: readonly unknown[], columns: readonly Column[]): string {
  return `${values.map((value, at) => copyCell(value, columns[at]?.type ?? 'text')).join('\t')}\n`;
}

function copyCell(value: unknown, type: Column['type']): string {
  if (value === null || value === undefined) return '\\N';
  if (value instanceof Date) return value.toISOString();
  if (type === 'json' || type === 'list') return escapedCell(JSON.stringify(storable(value)));
  return escapedCell(typeof value === 'object' ? JSON.stringify(storable(value)) : String(value));
}
