import type pg from 'pg';
import type { Columns } from './columns.ts';
import { compiled, type Database, type Query } from './database.ts';
import { ParamMarker } from './params.ts';

/** A statement whose text is computed once, and which PostgreSQL prepares once per connection. */
export class Prepared<Values extends object, Row extends object> {
  readonly name: string;
  readonly text: string;
  /** The columns that a text statement declares; undefined: the types follow from the tables. */
  readonly columns: Columns | undefined;
  readonly #parameters: readonly unknown[];

  /** `name` is unique in its schema. */
  constructor(name: string, query: Query<Row>, columns?: Columns) {
    const { sql, parameters } = compiled(query);
    this.name = name;
    this.text = sql;
    this.columns = columns;
    this.#parameters = parameters;
  }

  async rows(db: Database, values: Values): Promise<Row[]> {
    return (await this.#run(db, values)).rows;
  }

  /** Returns the first row; undefined if there is none. */
  async row(db: Database, values: Values): Promise<Row | undefined> {
    return (await this.#run(db, values)).rows[0];
  }

  /** Returns how many rows the statement changed, or returned. */
  async change(db: Database, values: Values): Promise<number> {
    return (await this.#run(db, values)).rowCount ?? 0;
  }

  /** Returns whether the statement changed, or returned, a row. */
  async changesRow(db: Database, values: Values): Promise<boolean> {
    return (await this.change(db, values)) > 0;
  }

  #run(db: Database, values: Values): Promise<pg.QueryResult<Row>> {
    return db.query<Row>({
      name: this.name,
      text: this.text,
      values: this.#parameters.map((value) => (value instanceof ParamMarker ? Reflect.get(values, value.name) : value)),
    });
  }
}
