/** Types of dataset columns. `list` is a list of texts; `json` any JSON value; `time` an ISO 8601 text in UTC. */
export type ColumnType = 'text' | 'int' | 'int64' | 'double' | 'bool' | 'time' | 'list' | 'json';

export interface Column {
  /** Name on the wire: JSONL key, CSV header. */
  readonly name: string;
  readonly type: ColumnType;
  readonly isNullable: boolean;
  readonly description: string;
}

/** A row of a dataset by column name. */
export type Row = Readonly<Record<string, unknown>>;

export function column(name: string, type: ColumnType, description: string): Column {
  return { name, type, isNullable: false, description };
}

/** A column that may be null. */
export function nullable(name: string, type: ColumnType, description: string): Column {
  return { name, type, isNullable: true, description };
}
