import type { DatasetColumn as Column, DatasetColumnType as ColumnType, DatasetRow as Row } from '@tidemark/datasets';
import type { SchemaElement } from 'hyparquet-writer';

const ELEMENTS: Readonly<Record<Exclude<ColumnType, 'list'>, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  int: { type: 'INT32' },
  int64: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  bool: { type: 'BOOLEAN' },
  time: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
};

/** Returns the Parquet schema of the columns. Every column is optional: a row may lack a value that its dataset promises. */
export function parquetSchema(columns: readonly Column[]): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.flatMap(elementsOf)];
}

/** A list has three levels, as the Parquet format defines (LogicalTypes.md, Lists). */
function elementsOf({ name, type }: Column): SchemaElement[] {
  if (type !== 'list') return [{ name, repetition_type: 'OPTIONAL', ...ELEMENTS[type] }];
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  ];
}

/** Converts a value of each type to the form that the writer takes. A value that does not fit its column is left to the writer, which refuses it. */
const CONVERSIONS: Readonly<Record<ColumnType, (value: unknown) => unknown>> = {
  // Lone surrogates have no UTF-8 form.
  text: (value) => (typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value)),
  int: (value) => value,
  int64: (value) => (typeof value === 'number' || typeof value === 'string' ? BigInt(value) : value),
  double: (value) => value,
  bool: (value) => value,
  time: (value) => (typeof value === 'string' ? new Date(value) : value),
  json: (value) => value,
  list: (value) => (Array.isArray(value) ? value.map((item) => String(item).toWellFormed()) : [String(value)]),
};

/** Returns the values of a column in the form that the writer takes; null where a row has none. */
export function parquetValues(rows: readonly Row[], { name, type }: Column): unknown[] {
  const convert = CONVERSIONS[type];
  return rows.map((row) => {
    const value = row[name];
    return value === null || value === undefined ? null : convert(value);
  });
}
