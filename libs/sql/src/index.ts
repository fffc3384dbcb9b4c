export { type ColumnType, type Expression, type Generated, type RawBuilder, sql } from 'kysely';
export { anyOf, literals } from './any-of.ts';
export {
  type Column,
  type Columns,
  column,
  jsonOf,
  nullable,
  nullableJsonOf,
  nullableStateOf,
  type RowOf,
  stateOf,
} from './columns.ts';
export { changeRows, compiled, type Database, type Query, type RowOfQuery, selectRow, selectRows } from './database.ts';
export { lockUntilCommit } from './lock.ts';
export { type Params, paramsOf } from './params.ts';
export { Prepared } from './prepared.ts';
export { Schema } from './schema.ts';
export { listOf, unnest } from './unnest.ts';
