import type { Prepared } from '@tidemark/sql';
import type pg from 'pg';
import { type DescribedColumn, describeStatement } from './describe-statement.ts';

/** What a migrated database states about the types and columns of a schema. */
export interface Catalog {
  /** Names of types by their OID: `int8`, `text[]`. */
  readonly types: ReadonlyMap<number, string>;
  /** Columns that may be null, as `<table OID>.<number>`. */
  readonly nullable: ReadonlySet<string>;
}

export async function readCatalog(client: pg.ClientBase): Promise<Catalog> {
  const types = await client.query<{ oid: number; name: string }>(
    `SELECT t.oid::int4 AS oid, CASE WHEN e.typname IS NULL THEN t.typname ELSE e.typname || '[]' END AS name
     FROM pg_type t LEFT JOIN pg_type e ON e.typarray = t.oid`,
  );
  const columns = await client.query<{ key: string }>(
    `SELECT attrelid::int8 || '.' || attnum AS key FROM pg_attribute WHERE attnum > 0 AND NOT attnotnull`,
  );
  return {
    types: new Map(types.rows.map(({ oid, name }) => [oid, name])),
    nullable: new Set(columns.rows.map(({ key }) => key)),
  };
}

/** Types that `pg` reads like the declared one. */
const READ_ALIKE: Readonly<Record<string, string>> = { varchar: 'text', bpchar: 'text', name: 'text', json: 'jsonb' };

/**
 * Compares a prepared statement with a migrated database.
 * @returns a line for the statement if PostgreSQL refuses it, and for each declared column that it does not return so
 */
export async function statementFaults(
  client: pg.ClientBase,
  { types, nullable }: Catalog,
  statement: Prepared<object, object>,
): Promise<string[]> {
  let returned: readonly DescribedColumn[];
  try {
    returned = await describeStatement(client, statement.text);
  } catch (error) {
    return [`${statement.name}: ${String(error)}`];
  }
  const { columns } = statement;
  if (columns === undefined) return [];
  const faults: string[] = [];
  const found = new Map(returned.map((each) => [each.name, each]));
  for (const name of found.keys())
    if (columns[name] === undefined) faults.push(`${statement.name}: the column ${name} is not declared`);
  for (const [name, { type, isNullable }] of Object.entries(columns)) {
    const real = found.get(name);
    if (real === undefined) {
      faults.push(`${statement.name}: the column ${name} is declared and not returned`);
      continue;
    }
    const realType = types.get(real.dataTypeID) ?? String(real.dataTypeID);
    if ((READ_ALIKE[realType] ?? realType) !== type)
      faults.push(`${statement.name}: the column ${name} is ${realType}, declared as ${type}`);
    if (!isNullable && nullable.has(`${real.tableID}.${real.columnID}`))
      faults.push(`${statement.name}: the column ${name} may be null, and is declared as never null`);
  }
  return faults;
}
