import { type AliasedRawBuilder, type Expression, sql } from 'kysely';

/** A list of values and the PostgreSQL type of one of them. */
export class ListColumn<Value> {
  readonly list: Expression<readonly Value[]>;
  readonly type: string;

  constructor(list: Expression<readonly Value[]>, type: string) {
    this.list = list;
    this.type = type;
  }
}

/** Makes a column of `unnest` of a list. @param type of one value, such as `text` or `bigint` */
export const listOf = <Value>(list: Expression<readonly Value[]>, type: string): ListColumn<Value> =>
  new ListColumn(list, type);

type RowOf<Columns> = { [Name in keyof Columns]: Columns[Name] extends ListColumn<infer Value> ? Value : never };

/** Writes `unnest(a::text[], …) AS alias(a, …)`: one row for the values at each position of lists of equal length. */
export function unnest<Alias extends string, Columns extends Readonly<Record<string, ListColumn<unknown>>>>(
  alias: Alias,
  columns: Columns,
): AliasedRawBuilder<RowOf<Columns>, Alias> {
  const lists = Object.values(columns).map(({ list, type }) => sql`${list}::${sql.raw(type)}[]`);
  const names = Object.keys(columns).map((name) => sql.ref(name));
  return sql<RowOf<Columns>>`unnest(${sql.join(lists)})`.as<Alias>(sql`${sql.ref(alias)}(${sql.join(names)})`);
}
