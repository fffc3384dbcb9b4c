import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { messageOf, Problem } from '../../local/problem.ts';
import { migrationsIn } from '../../migrate.ts';
import type { Installation } from '../installation.ts';
import { findSealedBy } from '../keys/find-sealed.ts';
import { readPack } from './body-packs.ts';
import { closeBodyStores, openBodyStores } from './body-stores.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { insertTable, quoted, serviceSchemas } from './tables.ts';

export interface RestoreOptions {
  readonly installation: Pick<Installation, 'databaseUrl' | 'blobUrl' | 'sealingKeys' | 'isRunning' | 'dataDir'>;
  readonly dir: string;
  /** Folder of the services, whose migrations are applied. */
  readonly servicesDir: string;
  /** Deletes the schemas of the services in the target first. Otherwise the target must have none. */
  readonly isReplacing: boolean;
  readonly say: (line: string) => void;
}

/** Bodies written at a time. */
const WRITES = 16;

/**
 * Restores a backup into an installation whose services are stopped: the schemas as they were, their rows, the bodies. Migrations that are
 * newer than the backup are not applied: the next start, or the migration job, applies them. JetStream and Redis stay empty: outboxes and
 * reconcilers publish again what was in progress, under the ids it had.
 * @throws Problem if services run, the target has data, the backup is newer than this version, or a sealing key is missing
 */
export async function restoreBackup(options: RestoreOptions): Promise<Manifest> {
  const { installation, dir, say } = options;
  if (installation.isRunning)
    throw new Problem(
      'Services run on this installation; stop them before a restore (Ctrl-C, or replicas 0 on Kubernetes).',
    );
  const manifest = readManifest(dir);
  if (manifest.workspace !== undefined)
    throw new Problem(
      `${dir} contains the workspace ${manifest.workspace.workspaceIds[0]} only; expected a backup of an installation. import-workspace reads it.`,
    );
  requireKnownMigrations(manifest, options.servicesDir);
  requireKeys(manifest, installation.sealingKeys.fingerprints);
  const client = new pg.Client({ connectionString: installation.databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // the rejected query reports it
  await client.connect();
  try {
    await requireEmpty(client, options.isReplacing);
    await restoreDatabase(client, manifest, options);
    say(
      `database: ${manifest.tables.reduce((total, { rows }) => total + rows, 0)} rows of ${manifest.tables.length} tables`,
    );
    await restoreBodies(manifest, options);
    await requireOpenable(client, installation.sealingKeys.fingerprints);
  } finally {
    await client.end().catch(() => {});
  }
  if (installation.dataDir !== undefined) {
    // Streams would name rows that the restored database lacks.
    rmSync(join(installation.dataDir, 'nats'), { recursive: true, force: true });
    say('JetStream: emptied; outboxes publish again what was in progress');
  }
  return manifest;
}

function requireKnownMigrations({ migrations, version }: Manifest, servicesDir: string): void {
  const known = new Map(migrationsIn(servicesDir).map(({ service, names }) => [service, new Set(names)]));
  const unknown = Object.entries(migrations).flatMap(([service, names]) =>
    names.filter((name) => known.get(service)?.has(name) !== true).map((name) => `${service}/${name}`),
  );
  if (unknown.length > 0)
    throw new Problem(
      `The backup was made by version ${version}, with migrations that this version does not have: ${unknown.join(', ')}. Restore it with version ${version} or later.`,
    );
}

function requireKeys({ sealingKeys }: Manifest, configured: readonly string[]): void {
  const current = sealingKeys[0];
  if (current === undefined || configured.includes(current)) return;
  throw new Problem(
    `The backup needs the sealing key with the fingerprint ${current}; configured: ${configured.join(', ') || 'none'}. Add the key to SEALING_KEYS, or pass the file that backup --keys-to wrote with --keys-from.`,
  );
}

/** @throws Problem naming the key with which values are encrypted that can't be opened */
async function requireOpenable(client: pg.Client, configured: readonly string[]): Promise<void> {
  const used = await findSealedBy(client);
  const missing = used.filter(({ fingerprint, isLasting }) => isLasting && !configured.includes(fingerprint));
  if (missing.length === 0) return;
  const places = missing.map(({ fingerprint, place, values }) => `${values} values of ${place} with ${fingerprint}`);
  throw new Problem(
    `Secrets are sealed with keys that are not configured: ${places.join('; ')}. Add the keys to SEALING_KEYS before the start.`,
  );
}

async function requireEmpty(client: pg.Client, isReplacing: boolean): Promise<void> {
  const schemas = await serviceSchemas(client);
  if (schemas.length === 0) return;
  if (!isReplacing)
    throw new Problem(
      `The database has the schemas ${schemas.join(', ')}; expected an empty one. With --replace they are deleted first, with all their data.`,
    );
  for (const schema of schemas) await client.query(`DROP SCHEMA ${quoted(schema)} CASCADE`);
}

async function restoreDatabase(
  client: pg.Client,
  manifest: Manifest,
  { dir, servicesDir }: RestoreOptions,
): Promise<void> {
  await client.query('SET synchronous_commit = off');
  for (const [schema, names] of Object.entries(manifest.migrations)) {
    await client.query(`CREATE SCHEMA ${quoted(schema)}`);
    await client.query(`SET search_path TO ${quoted(schema)}`);
    await client.query(MIGRATIONS_TABLE);
    for (const name of names)
      await applyMigration(client, join(servicesDir, schema, 'prisma/migrations', name), schema);
  }
  await client.query('RESET search_path');
  await client.query('BEGIN');
  const schemas = Object.keys(manifest.migrations);
  const constraints = await dropForeignKeys(client, schemas);
  for (const { schema, table } of manifest.tables) await client.query(`TRUNCATE ${quoted(schema, table)}`);
  for (const table of manifest.tables) await insertTable(client, dir, table);
  for (const { schema, name, value } of manifest.sequences)
    await client.query('SELECT setval($1::regclass, $2)', [quoted(schema, name), value]);
  for (const statement of constraints) await client.query(statement);
  await client.query('COMMIT');
  await client.query('SET synchronous_commit = on');
  await client.query('ANALYZE');
}

async function applyMigration(client: pg.Client, folder: string, schema: string): Promise<void> {
  try {
    await client.query(readFileSync(join(folder, 'migration.sql'), 'utf8'));
  } catch (error) {
    throw new Problem(`The migration ${folder} of ${schema} could not be applied: ${messageOf(error)}`);
  }
}

// As Prisma creates it.
const MIGRATIONS_TABLE = `
  CREATE TABLE _prisma_migrations (
    id varchar(36) PRIMARY KEY NOT NULL,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`;

const ForeignKey = z.object({ table: z.string(), name: z.string(), definition: z.string() });

/** Drops the foreign keys, so that tables can be filled in any order. Returns the statements that create them again. */
async function dropForeignKeys(client: pg.Client, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT conrelid::regclass::text AS "table", conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE contype = 'f' AND conparentid = 0 AND connamespace = ANY (SELECT oid FROM pg_namespace WHERE nspname = ANY ($1))`,
    [schemas],
  );
  const keys = z.array(ForeignKey).parse(rows);
  for (const { table, name } of keys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${quoted(name)}`);
  return keys.map(({ table, name, definition }) => `ALTER TABLE ${table} ADD CONSTRAINT ${quoted(name)} ${definition}`);
}

/** Writes the bodies of a backup into the blob store. Those that it has are left as they are. */
export async function restoreBodies(
  { bodies }: Manifest,
  {
    installation,
    dir,
    say,
  }: Pick<RestoreOptions, 'dir' | 'say'> & { readonly installation: Pick<Installation, 'blobUrl'> },
): Promise<void> {
  const stores = openBodyStores(installation.blobUrl);
  try {
    for (const { store, blobs } of stores) {
      let count = 0;
      let writes: Promise<unknown>[] = [];
      for (const pack of bodies[store] ?? []) {
        if (!existsSync(join(dir, pack.file))) throw new Problem(`${pack.file} is missing in ${dir}.`);
        for await (const body of readPack(dir, pack)) {
          count += 1;
          if (writes.push(blobs.putPacked({ ...body, packed: Buffer.from(body.packed) })) < WRITES) continue;
          await Promise.all(writes);
          writes = [];
        }
      }
      await Promise.all(writes);
      say(`bodies of ${store}: ${count}`);
    }
  } finally {
    await closeBodyStores(stores);
  }
}
