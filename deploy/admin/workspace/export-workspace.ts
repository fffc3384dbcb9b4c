import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { messageOf, Problem } from '../../local/problem.ts';
import { copyBodies } from '../backup/body-packs.ts';
import { closeBodyStores, openBodyStores } from '../backup/body-stores.ts';
import { type BodyPack, type CopiedTable, type Manifest, writeManifest } from '../backup/manifest.ts';
import { forEachNamedBody } from '../backup/named-bodies.ts';
import { appliedMigrations, copyTable, serviceSchemas, tablesOf } from '../backup/tables.ts';
import type { Installation } from '../installation.ts';
import { IN_PROGRESS, isLeftOut, WORKSPACE_TABLES, type WorkspaceTable } from './workspace-tables.ts';

export interface ExportOptions {
  readonly installation: Pick<Installation, 'databaseUrl' | 'blobUrl' | 'sealingKeys'>;
  readonly workspaceId: string;
  /** Folder to be made; it must not exist. */
  readonly dir: string;
  readonly version: string;
  readonly say: (line: string) => void;
}

/**
 * Writes a workspace with its sub-accounts to a folder, in the format of a backup: its rows in one snapshot, then the bodies that they reference. The
 * fleet may run; the workspace itself must have no work in progress. People, credits, payments and documents are left out.
 * @throws Problem if there is no such workspace, it is a sub-account, or work of it is in progress. A failed export leaves no folder.
 */
export async function exportWorkspace(options: ExportOptions): Promise<Manifest> {
  const { dir, installation, version } = options;
  const half = join(dirname(dir), `.${basename(dir)}.partial`);
  rmSync(half, { recursive: true, force: true });
  mkdirSync(join(half, 'database'), { recursive: true, mode: 0o700 });
  try {
    const rows = await copyRows(options, half);
    const bodies = await copyNamedBodies(options, half, rows.tables);
    const manifest: Manifest = {
      format: 1,
      version,
      endedAt: new Date().toISOString(),
      isComplete: true,
      sealingKeys: installation.sealingKeys.fingerprints.slice(),
      sequences: [],
      ...rows,
      bodies,
    };
    writeManifest(half, manifest);
    renameSync(half, dir);
    return manifest;
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    throw error instanceof Problem ? error : new Problem(`The export failed: ${messageOf(error)}`);
  }
}

const Workspaces = z.array(z.object({ id: z.string(), name: z.string(), parent: z.string().nullable() }));
const Members = z.array(z.object({ workspaceId: z.string(), address: z.string(), role: z.string() }));

async function copyRows({ installation, workspaceId, say }: ExportOptions, dir: string) {
  const client = new pg.Client({ connectionString: installation.databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // the rejected query reports it
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const snapshotAt = z
      .object({ now: z.date() })
      .parse((await client.query('SELECT clock_timestamp() AS now')).rows[0]);
    const { rows } = await client.query(
      'SELECT id, name, parent_id AS parent FROM identity.workspaces WHERE id = $1 OR parent_id = $1 ORDER BY parent_id NULLS FIRST, id',
      [workspaceId],
    );
    const found = Workspaces.parse(rows);
    const [workspace] = found.filter(({ id }) => id === workspaceId);
    if (workspace === undefined) throw new Problem(`There is no workspace ${workspaceId}.`);
    if (workspace.parent !== null)
      throw new Problem(
        `${workspaceId} is a sub-account of ${workspace.parent}; expected a workspace of its own. The export of ${workspace.parent} contains it.`,
      );
    const workspaceIds = found.map(({ id }) => id);
    await requireNothingInProgress(client, workspaceIds);
    const members = await client.query(
      `SELECT m.workspace_id AS "workspaceId", u.email AS address, m.role FROM identity.memberships m JOIN identity.users u ON u.id = m.user_id
       WHERE m.workspace_id = ANY ($1) AND u.address_state <> 'pending' ORDER BY m.joined_at, u.id`,
      [workspaceIds],
    );
    const schemas = await serviceSchemas(client);
    const migrations: Record<string, string[]> = {};
    for (const schema of schemas) migrations[schema] = await appliedMigrations(client, schema);
    const columns = await tablesOf(client, schemas);
    requireKnownTables(columns);
    const tables: CopiedTable[] = [];
    for (const { schema, table } of WORKSPACE_TABLES) {
      const described = columns.find((one) => one.schema === schema && one.table === table);
      if (described === undefined) throw new Problem(`The database has no table ${schema}.${table}; migrate it first.`);
      tables.push(await copyTable(client, dir, described, conditionOf(`${schema}.${table}`, workspaceIds)));
    }
    await client.query('COMMIT');
    say(`database: ${tables.reduce((total, one) => total + one.rows, 0)} rows of ${workspaceIds.length} workspaces`);
    return {
      snapshotAt: snapshotAt.now.toISOString(),
      migrations,
      tables,
      workspace: { workspaceIds, name: workspace.name, members: Members.parse(members.rows) },
    };
  } finally {
    await client.end().catch(() => {});
  }
}

async function requireNothingInProgress(client: pg.Client, workspaceIds: readonly string[]): Promise<void> {
  const open: string[] = [];
  for (const [what, query] of Object.entries(IN_PROGRESS)) {
    const { rows } = await client.query(query, [workspaceIds]);
    const [{ count }] = z.tuple([z.object({ count: z.coerce.number() })]).parse(rows);
    if (count > 0) open.push(`${count} ${what}`);
  }
  if (open.length > 0)
    throw new Problem(
      `Work of the workspace is in progress: ${open.join(', ')}. Wait for its end, cancel it, or pause crawls; an export contains no work in progress.`,
    );
}

/** @throws Problem naming tables for which no rule exists: rows of the workspace could be left out unnoticed */
function requireKnownTables(all: readonly { readonly schema: string; readonly table: string }[]): void {
  const isListed = (schema: string, table: string): boolean =>
    WORKSPACE_TABLES.some((one) => one.schema === schema && one.table === table);
  const unknown = all.filter(({ schema, table }) => !isListed(schema, table) && !isLeftOut(schema, table));
  if (unknown.length > 0)
    throw new Problem(
      `workspace-tables.ts does not state whether an export contains ${unknown.map(({ schema, table }) => `${schema}.${table}`).join(', ')}.`,
    );
}

/** Returns the condition of SQL for the rows of a table that belong to workspaces. */
export function conditionOf(name: string, workspaceIds: readonly string[]): string {
  const { belongs } = tableNamed(name);
  if (belongs.by === 'column')
    return `${belongs.column} IN (${workspaceIds.map((id) => pg.escapeLiteral(id)).join(', ')})`;
  const { column, parent, key } = belongs;
  return `${column} IN (SELECT ${key} FROM ${parent} WHERE ${conditionOf(parent, workspaceIds)})`;
}

function tableNamed(name: string): WorkspaceTable {
  const found = WORKSPACE_TABLES.find(({ schema, table }) => `${schema}.${table}` === name);
  if (found === undefined) throw new Error(`${name} is no table of an export`);
  return found;
}

/** Copies the bodies that the copied rows reference. */
async function copyNamedBodies(
  { installation, say }: ExportOptions,
  dir: string,
  tables: readonly CopiedTable[],
): Promise<Record<string, BodyPack[]>> {
  const named = new Map<string, Set<string>>();
  for (const table of tables)
    await forEachNamedBody(dir, table, (store, sha256) => {
      const names = named.get(store) ?? new Set();
      named.set(store, names.add(sha256));
    });
  const stores = openBodyStores(installation.blobUrl);
  try {
    const packs: Record<string, BodyPack[]> = {};
    for (const { store, blobs } of stores) {
      const names = named.get(store) ?? new Set<string>();
      const own = { list: () => eachOf(names), getPacked: (sha256: string) => blobs.getPacked(sha256) };
      packs[store] = await copyBodies({ store, blobs: own, dir });
      const copied = packs[store].reduce((total, { bodies }) => total + bodies, 0);
      if (copied < names.size)
        throw new Problem(
          `${names.size - copied} bodies that rows of the workspace reference are missing in the store.`,
        );
      say(`bodies of ${store}: ${copied}`);
    }
    return packs;
  } finally {
    await closeBodyStores(stores);
  }
}

async function* eachOf(names: Iterable<string>): AsyncIterable<string> {
  yield* names;
}
