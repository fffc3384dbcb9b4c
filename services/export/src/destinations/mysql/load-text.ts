import type { DatasetColumn as Column } from '@tidemark/datasets';
import { storable } from '../storable.ts';
import { escapedCell } from '../tab-separated.ts';

/** Encodes a value for LOAD DATA with its default options: tab, newline, backslash, `\N`. */
export function loadCell(value: unknown, type: Column['type']): string {
  const converted = sqlValue(value, type);
  return typeof converted === 'string' ? escapedCell(converted) : String(converted ?? '\\N');
}

/** Returns a value as MySQL reads it: times without zone, JSON as text. */
export function sqlValue(value: unknown, type: Column['type']): string | number | null {
  if (value === null || value === undefined) return null;
  if (type === 'time') return dateTime(value instanceof Date ? value : new Date(String(value)));
  if (type === 'json' || type === 'list') return JSON.stringify(storable(value));
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number') return value;
  return typeof value === 'object' ? JSON.stringify(storable(value)) : String(value);
}

/** `2026-03-04 05:06:07.000`: the session has the time zone UTC. */
const dateTime = (at: Date): string => at.toISOString().replace('T', ' ').replace('Z', '');
