import type { DatasetColumn as Column } from '@tidemark/datasets';
import { storable, storableText } from '../storable.ts';

/** Encodes one row for JSONEachRow. */
export function jsonLine(values: readonly unknown[], columns: readonly Column[]): Buffer {
  const cells = columns.map(({ name, type }, at): [string, unknown] => [name, cellOf(values[at], type)]);
  return Buffer.from(`${JSON.stringify(Object.fromEntries(cells))}\n`);
}

function cellOf(value: unknown, type: Column['type']): unknown {
  if (type === 'list') return Array.isArray(value) ? value.map((one) => storableText(String(one))) : [];
  if (value === null || value === undefined) return null;
  if (type === 'time') return timeText(value instanceof Date ? value : new Date(String(value)));
  if (type === 'json') return JSON.stringify(storable(value));
  if (typeof value === 'string') return storableText(value);
  return typeof value === 'object' ? JSON.stringify(storable(value)) : value;
}

/** `2026-03-04 05:06:07.000`, in UTC. */
export const timeText = (at: Date): string => at.toISOString().replace('T', ' ').replace('Z', '');
