/** Types of dataset columns. `list` is a list of texts; `json` any JSON value; `time` an ISO 8601 text in UTC. */
export type DatasetColumnType = 'text' | 'int' | 'int64' | 'double' | 'bool' | 'time' | 'list' | 'json';

export interface DatasetColumn {
  /** Name on the wire: JSONL key, CSV header. */
  readonly name: string;
  readonly type: DatasetColumnType;
  readonly isNullable: boolean;
  readonly description: string;
}

/** A row of a dataset by column name. */
export type DatasetRow = Readonly<Record<string, unknown>>;

export function column(name: string, type: DatasetColumnType, description: string): DatasetColumn {
  return { name, type, isNullable: false, description };
}

/** A column that may be null. */
export function nullable(name: string, type: DatasetColumnType, description: string): DatasetColumn {
  return { name, type, isNullable: true, description };
}
