/** The TypeScript type of a value of each PostgreSQL type, as `pg` reads it. */
interface ValueTypes {
  readonly text: string;
  readonly bool: boolean;
  readonly int2: number;
  readonly int4: number;
  readonly int8: string;
  readonly float8: number;
  readonly numeric: string;
  readonly timestamptz: Date;
  readonly bytea: Buffer;
  readonly jsonb: unknown;
  readonly 'text[]': string[];
  readonly 'int4[]': number[];
  readonly 'int8[]': string[];
  readonly 'timestamptz[]': Date[];
  readonly 'bool[]': boolean[];
  readonly 'bytea[]': Buffer[];
}

export type ColumnType = keyof ValueTypes;

/** A column of the rows of a text statement. */
export class Column<Value> {
  readonly type: ColumnType;
  readonly isNullable: boolean;
  /** Never set; carries the type. */
  readonly value?: Value;

  constructor(type: ColumnType, isNullable: boolean) {
    this.type = type;
    this.isNullable = isNullable;
  }
}

/** Describes a column that is never null. */
export const column = <Type extends ColumnType>(type: Type): Column<ValueTypes[Type]> => new Column(type, false);

/** Describes a column that may be null. */
export const nullable = <Type extends ColumnType>(type: Type): Column<ValueTypes[Type] | null> =>
  new Column(type, true);

/** Describes a text column whose values the service alone writes: `stateOf<RunStatus>()`. */
export const stateOf = <State extends string>(): Column<State> => new Column('text', false);

/** Describes such a column that may be null. */
export const nullableStateOf = <State extends string>(): Column<State | null> => new Column('text', true);

/** Describes a column of JSON that the service alone writes: `jsonOf<Coverage>()`. */
export const jsonOf = <Value>(): Column<Value> => new Column('jsonb', false);

/** Describes a column of JSON that the service alone writes, or that is null. */
export const nullableJsonOf = <Value>(): Column<Value | null> => new Column('jsonb', true);

export type Columns = Readonly<Record<string, Column<unknown>>>;

/** The row of described columns. */
export type RowOf<Described extends Columns> = {
  -readonly [Name in keyof Described]: Described[Name] extends Column<infer Value> ? Value : never;
};
