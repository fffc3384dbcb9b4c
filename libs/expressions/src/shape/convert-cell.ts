import { MAX_TEXT } from '../bounded-functions.ts';
import { ExpressionError } from '../expression.ts';

/** Types of the columns of a shape. */
export const COLUMN_TYPES = ['text', 'int', 'double', 'bool', 'time', 'json'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Converts the result of an expression to the type of its column, without loss. Times are ISO texts in UTC. @throws ExpressionError if the value has no such form */
export function convertCell(value: unknown, type: ColumnType): unknown {
  if (value === null) return null;
  const converted = CONVERSIONS[type](value);
  if (converted === undefined) throw new ExpressionError(`the value is ${nameOf(value)}; the column is ${type}`);
  return converted;
}

const CONVERSIONS: Readonly<Record<ColumnType, (value: unknown) => unknown>> = {
  text: (value) => {
    if (value instanceof Date) return value.toISOString();
    if (typeof value === 'object') return undefined;
    const text = String(value);
    if (text.length > MAX_TEXT)
      throw new ExpressionError(`the text has ${text.length} characters; at most ${MAX_TEXT} are allowed`);
    return text;
  },
  int: (value) => safeInteger(value),
  double: (value) => (typeof value === 'bigint' || typeof value === 'number' ? finite(Number(value)) : undefined),
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  time: (value) => {
    const date = typeof value === 'string' && RFC_3339.test(value) ? new Date(value) : value;
    return date instanceof Date && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined;
  },
  json: (value) => toJson(value),
};

function safeInteger(value: unknown): number | undefined {
  const number = typeof value === 'bigint' || typeof value === 'number' ? Number(value) : undefined;
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return safeInteger(value) ?? String(value);
  if (typeof value === 'number') return finite(value) ?? null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
}

function nameOf(value: unknown): string {
  if (value instanceof Date) return 'a time';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'bigint') return `the int ${value}`;
  if (typeof value === 'number') return `the double ${value}`;
  return typeof value === 'object'
    ? 'a map'
    : `${typeof value === 'string' ? 'the text' : 'the bool'} ${JSON.stringify(value).slice(0, 60)}`;
}
