export { type RawBuilder, sql } from 'kysely';
export { anyOf } from './any-of.ts';
export { type Column, type Columns, column, nullable, type RowOf, stateOf } from './columns.ts';
export { changeRows, type Database, type Query, selectRow, selectRows } from './database.ts';
export type { Params } from './params.ts';
export { Prepared } from './prepared.ts';
export { Schema } from './schema.ts';
export { listOf, unnest } from './unnest.ts';
