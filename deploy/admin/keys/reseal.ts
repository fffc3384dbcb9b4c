import { fingerprintOf } from '@tidemark/sealing';
import pg from 'pg';
import { z } from 'zod';
import { quoted, serviceSchemas } from '../backup/tables.ts';
import { sealedValuesOf } from './find-sealed.ts';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts';
import type { SealingKeys } from './sealing-keys.ts';

/** Rows that are changed in one transaction. */
const BATCH = 200;
const PREFIX = 'sealed:';

export interface Resealed {
  /** Values that are now sealed with the current key. */
  readonly resealed: number;
  /** Values that no configured key opens, by place. */
  readonly lost: ReadonlyMap<string, number>;
}

const Row = z.object({ key: z.string(), context: z.string().nullable(), value: z.unknown() });

/**
 * Seals every value of the known columns with the current key that is sealed with another one. Works while the fleet runs, if all services
 * have the current key: a row is locked while its value is replaced. Repeatable: a second run finds nothing.
 */
export async function reseal(databaseUrl: string, keys: SealingKeys, say: (line: string) => void): Promise<Resealed> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // the rejected query reports it
  await client.connect();
  try {
    const schemas = await serviceSchemas(client);
    const lost = new Map<string, number>();
    let resealed = 0;
    for (const column of SEALED_COLUMNS.filter(({ schema }) => schemas.includes(schema))) {
      const place = `${column.schema}.${column.table}.${column.column}`;
      const due = await rowsOfOtherKeys(client, column, keys.fingerprints[0] ?? '');
      const done = { resealed: 0, lost: 0 };
      for (let from = 0; from < due.length; from += BATCH) {
        await client.query('BEGIN');
        const batch = await resealRows(client, column, keys, due.slice(from, from + BATCH));
        await client.query('COMMIT');
        done.resealed += batch.resealed;
        done.lost += batch.lost;
      }
      resealed += done.resealed;
      if (done.lost > 0) lost.set(place, done.lost);
      if (done.resealed > 0) say(`${place}: ${done.resealed} values`);
    }
    return { resealed, lost };
  } finally {
    await client.end().catch(() => {});
  }
}

/** Seals the values of rows with the current key, in the transaction of the client. @param rowKeys the values of the column that identifies a row */
export async function resealRows(
  client: pg.ClientBase,
  column: SealedColumn,
  keys: SealingKeys,
  rowKeys: readonly string[],
): Promise<{ readonly resealed: number; readonly lost: number }> {
  const [table, key, name] = [quoted(column.schema, column.table), quoted(column.key), quoted(column.column)];
  let [resealed, lost] = [0, 0];
  const { rows } = await client.query(
    `SELECT t.${key}::text AS key, ${column.contextSql} AS context, t.${name} AS value FROM ${table} t
     WHERE t.${key} = ANY ($1::${column.keyType}[]) ORDER BY t.${key} FOR UPDATE OF t`,
    [rowKeys],
  );
  for (const row of z.array(Row).parse(rows)) {
    const context = row.context === null ? undefined : (column.contextOf ?? String)(row.context);
    const outcome = context === undefined ? undefined : resealedValue(row.value, context, keys);
    if (outcome === undefined) continue;
    lost += outcome.lost;
    if (outcome.changed === 0) continue;
    await client.query(`UPDATE ${table} SET ${name} = $2 WHERE ${key} = $1::${column.keyType}`, [
      row.key,
      outcome.value,
    ]);
    resealed += outcome.changed;
  }
  return { resealed, lost };
}

/** Returns the keys of the rows with a value that another key than the current one sealed. */
async function rowsOfOtherKeys(client: pg.Client, column: SealedColumn, current: string): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT DISTINCT key::text AS key FROM (${sealedValuesOf(column)}) s WHERE encode(substr(v, 2, 4), 'hex') <> $1`,
    [current],
  );
  return z
    .array(z.object({ key: z.string() }))
    .parse(rows)
    .map(({ key }) => key);
}

interface ResealedValue {
  readonly value: unknown;
  readonly changed: number;
  readonly lost: number;
}

/** Returns a column's value with all sealed values in it sealed by the current key; undefined if it contains none. */
function resealedValue(value: unknown, context: string, keys: SealingKeys): ResealedValue | undefined {
  if (Array.isArray(value)) {
    const parts = value.map((one: unknown) => resealedValue(one, context, keys) ?? { value: one, changed: 0, lost: 0 });
    const total = (of: 'changed' | 'lost'): number => parts.reduce((all, part) => all + part[of], 0);
    return { value: parts.map((part) => part.value), changed: total('changed'), lost: total('lost') };
  }
  if (typeof value === 'string') {
    if (!value.startsWith(PREFIX)) return undefined;
    const inner = resealedValue(Buffer.from(value.slice(PREFIX.length), 'base64'), context, keys);
    return inner?.value instanceof Uint8Array
      ? { ...inner, value: PREFIX + Buffer.from(inner.value).toString('base64') }
      : undefined;
  }
  if (!(value instanceof Uint8Array)) return undefined;
  const fingerprint = fingerprintOf(value);
  if (fingerprint === undefined || fingerprint === keys.fingerprints[0]) return undefined;
  try {
    return { value: keys.sealer.seal(keys.sealer.open(value, context), context), changed: 1, lost: 0 };
  } catch {
    return { value, changed: 0, lost: 1 };
  }
}
