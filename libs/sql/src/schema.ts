import type { Kysely, RawBuilder } from 'kysely';
import { makeBuilder } from './builder.ts';
import type { Columns, RowOf } from './columns.ts';
import type { Query } from './database.ts';
import { type Params, paramsOf } from './params.ts';
import { Prepared } from './prepared.ts';

/**
 * The tables of a service, as its `schema.prisma` describes them. A query of them that names a column which does not exist, or whose row has
 * another type than its reader expects, does not compile.
 */
export class Schema<Tables> {
  /** Builds queries. `selectRows`, `selectRow` and `changeRows` run them on a pool or in a transaction. */
  readonly tables: Kysely<Tables> = makeBuilder<Tables>();
  readonly #prepared = new Map<string, Prepared<object, object>>();

  /** The prepared statements of the modules that are loaded, for the test that compares them with a database. */
  get prepared(): readonly Prepared<object, object>[] {
    return [...this.#prepared.values()];
  }

  /**
   * Makes a statement of a hot path from a query: its text is computed once, when its module is loaded, and PostgreSQL prepares it once per
   * connection. @param name unique in the schema @throws Error for a name that is taken
   */
  prepare<Values extends object, Row extends object>(
    name: string,
    write: (params: Params<Values>) => Query<Row>,
  ): Prepared<Values, Row> {
    return this.#add(new Prepared<Values, Row>(name, write(paramsOf<Values>())));
  }

  /**
   * Makes a statement of a hot path from SQL text that a query can not express. A test compares `columns` with the columns that a migrated
   * database returns. @throws Error for a name that is taken
   */
  prepareText<Values extends object, Described extends Columns>(
    name: string,
    columns: Described,
    write: (params: Params<Values>) => RawBuilder<unknown>,
  ): Prepared<Values, RowOf<Described>> {
    const query = write(paramsOf<Values>()).$castTo<RowOf<Described>>();
    return this.#add(new Prepared<Values, RowOf<Described>>(name, query, columns));
  }

  #add<Values extends object, Row extends object>(statement: Prepared<Values, Row>): Prepared<Values, Row> {
    if (this.#prepared.has(statement.name)) throw new Error(`two statements have the name ${statement.name}`);
    this.#prepared.set(statement.name, statement);
    return statement;
  }
}
