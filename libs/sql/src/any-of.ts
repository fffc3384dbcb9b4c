import { type Expression, type RawBuilder, sql } from 'kysely';

/** Writes `any(list)`, for a comparison with each value: `.where('id', '=', anyOf(ids))`. No value equals one of an empty list, where `in ()` is an error. */
export const anyOf = <Value>(list: readonly Value[] | Expression<readonly Value[]>): RawBuilder<Value> =>
  sql<Value>`any(${list})`;

/** Writes constants of the program as a list: sql`status IN (${literals(OPEN_STATES)})`. */
export const literals = (values: readonly (string | number)[]): RawBuilder<unknown> =>
  sql.join(values.map((value) => sql.lit(value)));
