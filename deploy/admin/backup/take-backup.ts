import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { messageOf, Problem } from '../../local/problem.ts';
import type { Installation } from '../installation.ts';
import { copyBodies } from './body-packs.ts';
import { closeBodyStores, openBodyStores } from './body-stores.ts';
import { type BodyPack, type Manifest, writeManifest } from './manifest.ts';
import { appliedMigrations, copyTable, sequencesOf, serviceSchemas, tablesOf } from './tables.ts';

/** Minutes between the loss of the last reference of a body and its move to the trash (`libs/blobs`). */
const SETTLE_MINUTES = 60;

export interface BackupOptions {
  readonly installation: Pick<Installation, 'databaseUrl' | 'blobUrl' | 'sealingKeys'>;
  /** Folder to be made; it must not exist. */
  readonly dir: string;
  readonly version: string;
  /** Hours an unreferenced body stays in the trash: BLOB_ASIDE_HOURS of archive and map. */
  readonly trashHours: number;
  readonly say: (line: string) => void;
  readonly now?: () => Date;
  /** Called between the snapshot of the database and the copy of the bodies. */
  readonly onDatabaseCopied?: () => Promise<void>;
}

/**
 * Makes a backup while the fleet runs: the rows of all services in one snapshot, then the bodies. In this order every body that a row
 * names is copied: it was written before the row, and an unreferenced one is kept for the settle time and the time in the trash. A
 * backup whose copy of bodies takes longer is marked as incomplete.
 * @throws Problem if the folder exists or the database can't be read. A failed backup leaves no folder.
 */
export async function takeBackup(options: BackupOptions): Promise<Manifest> {
  const { dir, say, now = () => new Date() } = options;
  const half = join(dirname(dir), `.${basename(dir)}.partial`);
  rmSync(half, { recursive: true, force: true });
  mkdirSync(dirname(dir), { recursive: true });
  mkdirSync(half, { mode: 0o700 });
  try {
    const database = await copyDatabase(options, half);
    say(`database: ${sum(database.tables.map(({ rows }) => rows))} rows of ${database.tables.length} tables`);
    await options.onDatabaseCopied?.();
    const bodies = await copyStores(options, half);
    const endedAt = now();
    const limit = new Date(database.snapshotAt).getTime() + (SETTLE_MINUTES + options.trashHours * 60) * 60_000;
    const manifest: Manifest = {
      format: 1,
      version: options.version,
      endedAt: endedAt.toISOString(),
      isComplete: endedAt.getTime() <= limit,
      sealingKeys: options.installation.sealingKeys.fingerprints.slice(),
      ...database,
      bodies,
    };
    writeManifest(half, manifest);
    renameSync(half, dir);
    return manifest;
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    throw error instanceof Problem ? error : new Problem(`The backup failed: ${messageOf(error)}`);
  }
}

const Now = z.object({ now: z.date() });

/** Copies every table in one snapshot. */
async function copyDatabase({ installation }: BackupOptions, dir: string) {
  const client = new pg.Client({ connectionString: installation.databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // the rejected query reports it
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows } = await client.query('SELECT clock_timestamp() AS now');
    const snapshotAt = Now.parse(rows[0]).now.toISOString();
    const schemas = await serviceSchemas(client);
    if (schemas.length === 0)
      throw new Problem('The database has no schema of a service; expected one that was migrated.');
    const migrations: Record<string, string[]> = {};
    for (const schema of schemas) migrations[schema] = await appliedMigrations(client, schema);
    const tables = [];
    for (const table of await tablesOf(client, schemas)) tables.push(await copyTable(client, dir, table));
    const sequences = await sequencesOf(client, schemas);
    await client.query('COMMIT');
    return { snapshotAt, migrations, tables, sequences };
  } finally {
    await client.end().catch(() => {});
  }
}

async function copyStores({ installation, say }: BackupOptions, dir: string): Promise<Record<string, BodyPack[]>> {
  const stores = openBodyStores(installation.blobUrl);
  try {
    const packs: Record<string, BodyPack[]> = {};
    for (const { store, blobs } of stores) {
      const copied = await copyBodies({ store, blobs, dir });
      packs[store] = copied;
      const megabytes = (sum(copied.map(({ bytes }) => bytes)) / 1_000_000).toFixed(1);
      say(`bodies of ${store}: ${sum(copied.map((pack) => pack.bodies))}, ${megabytes} MB`);
    }
    return packs;
  } finally {
    await closeBodyStores(stores);
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
