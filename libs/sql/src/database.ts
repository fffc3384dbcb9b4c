import type { Compilable, CompiledQuery, RawBuilder, Simplify } from 'kysely';
import type pg from 'pg';
import { makeBuilder } from './builder.ts';

/** The part of a PostgreSQL pool or client that statements use. */
export interface Database {
  query<Row extends pg.QueryResultRow>(statement: {
    readonly name?: string;
    readonly text: string;
    readonly values: unknown[];
  }): Promise<pg.QueryResult<Row>>;
}

/** A query of a schema's `tables`, or text: sql<Row>`…`. */
export type Query<Row> = Compilable<Row> | RawBuilder<Row>;

/** The row that a query returns: `RowOfQuery<typeof ITEMS>`. */
export type RowOfQuery<Of> = Of extends Compilable<infer Row> ? Readonly<Simplify<Row>> : never;

const BUILDER = makeBuilder<object>();

/** Returns the text of a query and the values of its placeholders. */
export function compiled<Row>(query: Query<Row>): CompiledQuery<Row> {
  return 'isRawBuilder' in query ? query.compile(BUILDER) : query.compile();
}

function run<Row extends object>(db: Database, query: Query<Row>): Promise<pg.QueryResult<Row>> {
  const { sql, parameters } = compiled(query);
  return db.query<Row>({ text: sql, values: [...parameters] });
}

/** Runs a query and returns its rows. */
export async function selectRows<Row extends object>(db: Database, query: Query<Row>): Promise<Row[]> {
  return (await run(db, query)).rows;
}

/** Runs a query and returns its first row; undefined if there is none. */
export async function selectRow<Row extends object>(db: Database, query: Query<Row>): Promise<Row | undefined> {
  return (await run(db, query)).rows[0];
}

/** Runs a query and returns how many rows it changed, or returned. */
export async function changeRows(db: Database, query: Query<unknown>): Promise<number> {
  const { sql, parameters } = compiled(query);
  return (await db.query({ text: sql, values: [...parameters] })).rowCount ?? 0;
}
