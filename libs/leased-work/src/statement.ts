import type pg from 'pg';
import type { Fragment } from './fragment.ts';

/** The part of a PostgreSQL pool or client that statements use. */
export interface Database {
  query<Row extends pg.QueryResultRow>(statement: {
    name: string;
    text: string;
    values: unknown[];
  }): Promise<pg.QueryResult<Row>>;
}

/** The columns that a statement returns, with the type of a row. */
export class Returning<Row> {
  readonly text: string;
  /** Never set; carries the type. */
  readonly row?: Row;

  constructor(text: string) {
    this.text = text;
  }
}

/** Names the returned columns and the type of their row. */
export const returning = <Row>(text: string): Returning<Row> => new Returning<Row>(text);

/** A prepared statement whose text is computed once. */
export class Statement<Row extends pg.QueryResultRow, Name extends string> {
  readonly name: string;
  readonly text: string;
  readonly #names: readonly Name[];

  /** `name` is unique in the service: PostgreSQL prepares the text under it once per connection. */
  constructor(name: string, fragment: Fragment<Name>) {
    const { text, names } = fragment.compile();
    this.name = name;
    this.text = text;
    this.#names = names;
  }

  async rows(db: Database, values: Readonly<Record<Name, unknown>>): Promise<Row[]> {
    return (await this.#query(db, values)).rows;
  }

  /** Returns whether the statement changed a row. */
  async changes(db: Database, values: Readonly<Record<Name, unknown>>): Promise<boolean> {
    return ((await this.#query(db, values)).rowCount ?? 0) > 0;
  }

  #query(db: Database, values: Readonly<Record<Name, unknown>>): Promise<pg.QueryResult<Row>> {
    return db.query<Row>({ name: this.name, text: this.text, values: this.#names.map((name) => values[name]) });
  }
}
