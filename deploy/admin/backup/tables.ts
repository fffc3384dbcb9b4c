import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { z } from 'zod';
import type { CopiedSequence, CopiedTable } from './manifest.ts';

const TableRow = z.object({ schema: z.string(), table: z.string(), columns: z.array(z.string()) });

// Unlogged tables hold what is reported again. Generated columns are computed by the target. Partitions are copied through their parent.
const TABLES = `
  SELECT n.nspname AS schema, c.relname AS "table", array_agg(a.attname::text ORDER BY a.attnum) AS columns
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence = 'p'
  GROUP BY n.nspname, c.relname ORDER BY n.nspname, c.relname`;

const SEQUENCES = `
  SELECT schemaname AS schema, sequencename AS name, last_value::text AS value FROM pg_sequences
  WHERE schemaname = ANY ($1) AND last_value IS NOT NULL ORDER BY schemaname, sequencename`;

/** Name of the table in which Prisma records the migrations of a schema. */
const MIGRATIONS = '_prisma_migrations';

/** Returns the schemas of the services in a database: those with migrations. */
export async function serviceSchemas(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT schemaname AS schema FROM pg_tables WHERE tablename = '${MIGRATIONS}' ORDER BY schemaname`,
  );
  return z
    .array(z.object({ schema: z.string() }))
    .parse(rows)
    .map(({ schema }) => schema);
}

/** Returns the applied migrations of a schema, in their order. */
export async function appliedMigrations(client: pg.ClientBase, schema: string): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT migration_name AS name FROM ${quoted(schema, MIGRATIONS)} WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`,
  );
  return z
    .array(z.object({ name: z.string() }))
    .parse(rows)
    .map(({ name }) => name);
}

/** Returns the tables of the schemas with their columns. */
export async function tablesOf(client: pg.ClientBase, schemas: readonly string[]): Promise<z.infer<typeof TableRow>[]> {
  const { rows } = await client.query(TABLES, [schemas]);
  return z.array(TableRow).parse(rows);
}

/** Returns the values of the sequences. A sequence is in no transaction: read it after the rows that used it. */
export async function sequencesOf(client: pg.ClientBase, schemas: readonly string[]): Promise<CopiedSequence[]> {
  const { rows } = await client.query(SEQUENCES, [schemas]);
  return z.array(z.object({ schema: z.string(), name: z.string(), value: z.string() })).parse(rows);
}

/**
 * Copies the rows of a table, as the transaction of the client sees them, into a compressed file of the backup: all of them, or those that meet a
 * condition of SQL.
 */
export async function copyTable(
  client: pg.ClientBase,
  dir: string,
  { schema, table, columns }: z.infer<typeof TableRow>,
  condition = 'true',
): Promise<CopiedTable> {
  await mkdir(join(dir, 'database'), { recursive: true });
  const file = `database/${schema}.${table}.copy.zst`;
  const selected = `SELECT ${columns.map((column) => quoted(column)).join(', ')} FROM ${quoted(schema, table)} WHERE ${condition}`;
  const copied = client.query(copyTo(`COPY (${selected}) TO STDOUT`));
  const sum = createHash('sha256');
  const summed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum.update(chunk);
      done(null, chunk);
    },
  });
  const out = createWriteStream(join(dir, file), { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(copied, createZstdCompress(), summed, out);
  return { schema, table, columns, rows: copied.rowCount ?? 0, file, sha256: sum.digest('hex') };
}

/** Reads the rows of a copied table as text in the format of COPY. */
export const readRows = (dir: string, { file }: CopiedTable): NodeJS.ReadableStream =>
  createReadStream(join(dir, file)).pipe(createZstdDecompress());

/** Inserts the rows of a copied table into it, or into another one with its columns. */
export async function insertTable(
  client: pg.ClientBase,
  dir: string,
  copied: CopiedTable,
  target = quoted(copied.schema, copied.table),
): Promise<void> {
  const { schema, table, columns, file } = copied;
  const names = columns.map((column) => quoted(column)).join(', ');
  const into = client.query(copyFrom(`COPY ${target} (${names}) FROM STDIN`));
  await pipeline(createReadStream(join(dir, file)), createZstdDecompress(), into);
  if (into.rowCount !== copied.rows)
    throw new Error(`${schema}.${table} received ${into.rowCount} rows; expected ${copied.rows}`);
}

/** Returns a name for a statement, such as "archive"."pages". */
export const quoted = (...names: readonly string[]): string => names.map((name) => pg.escapeIdentifier(name)).join('.');
