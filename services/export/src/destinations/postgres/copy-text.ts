import type { DatasetColumn as Column } from '@tidemark/datasets';
import { storable } from '../storable.ts';
import { escapedCell } from '../tab-separated.ts';

/** Encodes a value for COPY in text format (PostgreSQL documentation, COPY, Text Format). */
export function copyCell(value: unknown, type: Column['type']): string {
  if (value instanceof Date) return value.toISOString();
  if (type === 'json' || type === 'list' || typeof value === 'object')
    return escapedCell(JSON.stringify(storable(value)));
  return typeof value === 'string' ? escapedCell(value) : String(value);
}
