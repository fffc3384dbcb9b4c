import type pg from 'pg';
import { z } from 'zod';
import { quoted, serviceSchemas } from '../backup/tables.ts';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts';

/** Values that are sealed with one key in one column. */
export interface SealedValues {
  /** Of the key, 8 hex digits. */
  readonly fingerprint: string;
  /** `schema.table.column`. */
  readonly place: string;
  readonly values: number;
  /** False: options of a job or a pending event, which are used until the job has ended or the event is confirmed. */
  readonly isLasting: boolean;
}

const Found = z.object({ fingerprint: z.string(), values: z.coerce.number() });
const Column = z.object({ schema: z.string(), table: z.string(), column: z.string(), type: z.string() });

/** Base64 digits that cover the version and the fingerprint without a part of the next byte. */
const BASE64_DIGITS = 6;
/** Bytes of version and fingerprint. */
const MARK_BYTES = 5;
/** A value that is sealed is longer than this, bytes: version, fingerprint, nonce, tag. */
const HEAD_BYTES = 33;

/** Returns how many values of the known columns are sealed with which key. */
export async function findSealedBy(client: pg.ClientBase): Promise<SealedValues[]> {
  const schemas = await serviceSchemas(client);
  const found: SealedValues[] = [];
  for (const column of SEALED_COLUMNS.filter(({ schema }) => schemas.includes(schema))) {
    const { rows } = await client.query(
      `SELECT encode(substr(v, 2, 4), 'hex') AS fingerprint, count(*) AS values FROM (${sealedValuesOf(column)}) s GROUP BY 1 ORDER BY 1`,
    );
    found.push(...placed(rows, `${column.schema}.${column.table}.${column.column}`, true));
  }
  return found;
}

/** Returns a query for the sealed values `v` of a column, with the `key` of their rows. */
export function sealedValuesOf({ schema, table, column, key, form }: SealedColumn): string {
  const name = quoted(column);
  const value = { bytes: name, list: `unnest(${name})`, text: `decode(substr(${name}, 8), 'base64')` }[form];
  const filter = form === 'text' ? `${name} LIKE 'sealed:%'` : `${name} IS NOT NULL`;
  return `SELECT ${quoted(key)} AS key, ${value} AS v FROM ${quoted(schema, table)} WHERE ${filter}`;
}

const placed = (rows: readonly unknown[], place: string, isLasting: boolean): SealedValues[] =>
  z
    .array(Found)
    .parse(rows)
    .map(({ fingerprint, values }) => ({ fingerprint, place, values, isLasting }));

/**
 * Searches every column of every service for values that are sealed with a key, also in columns that `SEALED_COLUMNS` does not name: as bytes,
 * inside of bytes, and as base64 in texts and JSON. Reads all tables.
 */
export async function searchSealedBy(client: pg.ClientBase, fingerprint: string): Promise<SealedValues[]> {
  const mark = Buffer.from(`01${fingerprint}`, 'hex');
  if (mark.length !== MARK_BYTES)
    throw new Error(`"${fingerprint}" is no fingerprint of a key; expected 8 hexadecimal digits`);
  const base64 = mark.toString('base64').slice(0, BASE64_DIGITS);
  const found: SealedValues[] = [];
  const { rows } = await client.query(COLUMNS, [await serviceSchemas(client)]);
  for (const { schema, table, column, type } of z.array(Column).parse(rows)) {
    const name = quoted(column);
    const isBytes = type === 'bytea' || type === '_bytea';
    const bytes = type === '_bytea' ? `array_to_string(${name}, '')::bytea` : name;
    const condition = isBytes
      ? `position($1::bytea IN ${bytes}) > 0 AND length(${bytes}) >= ${HEAD_BYTES}`
      : `position($1::text IN ${name}::text) > 0`;
    const value = isBytes ? mark : base64;
    const result = await client.query(`SELECT count(*) AS values FROM ${quoted(schema, table)} WHERE ${condition}`, [
      value,
    ]);
    const [{ values } = { values: 0 }] = z.array(z.object({ values: z.coerce.number() })).parse(result.rows);
    if (values > 0)
      found.push({
        fingerprint,
        place: `${schema}.${table}.${column}`,
        values,
        isLasting: isKnown(schema, table, column),
      });
  }
  return found;
}

const isKnown = (schema: string, table: string, column: string): boolean =>
  SEALED_COLUMNS.some((one) => one.schema === schema && one.table === table && one.column === column);

const COLUMNS = `
  SELECT n.nspname AS schema, c.relname AS "table", a.attname AS "column", t.typname AS type
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type t ON t.oid = a.atttypid
  WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND t.typname IN ('bytea', '_bytea', 'text', '_text', 'varchar', 'json', 'jsonb')
  ORDER BY 1, 2, a.attnum`;
