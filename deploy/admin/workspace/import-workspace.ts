import pg from 'pg';
import { z } from 'zod';
import { messageOf, Problem } from '../../local/problem.ts';
import { type CopiedTable, type Manifest, readManifest } from '../backup/manifest.ts';
import { restoreBodies } from '../backup/restore-backup.ts';
import { appliedMigrations, insertTable, quoted, serviceSchemas } from '../backup/tables.ts';
import type { Installation } from '../installation.ts';
import { sealedValuesOf } from '../keys/find-sealed.ts';
import { resealRows } from '../keys/reseal.ts';
import { SEALED_COLUMNS } from '../keys/sealed-columns.ts';
import { readSealingKeys, type SealingKeys } from '../keys/sealing-keys.ts';
import { conditionOf } from './export-workspace.ts';
import { WORKSPACE_TABLES, type WorkspaceTable } from './workspace-tables.ts';

export interface ImportOptions {
  readonly installation: Pick<Installation, 'databaseUrl' | 'blobUrl'>;
  /** Keys of this installation in the form of SEALING_KEYS: the first one seals. */
  readonly ownKeys: string;
  /** Keys of the installation that made the export, in the same form; empty: none were given. */
  readonly sourceKeys: string;
  readonly dir: string;
  readonly say: (line: string) => void;
}

export interface Imported {
  readonly workspaceIds: readonly string[];
  readonly name: string;
  /** Addresses of members that have an account here, and are members now. */
  readonly members: readonly string[];
  /** Addresses of members without an account here. */
  readonly absent: readonly string[];
  readonly hasOwner: boolean;
}

/**
 * Reads an export of a workspace into an installation, which may run: bodies, then all rows in one transaction. Ids and API keys stay as they were; secrets
 * are sealed with the key of this installation; billing opens an account with the first request.
 * @throws Problem if the export is none, the schema differs, the workspace exists, or a key is missing. A failed import leaves no row.
 */
export async function importWorkspace(options: ImportOptions): Promise<Imported> {
  const { dir, installation, say } = options;
  const manifest = readManifest(dir);
  const { workspace } = manifest;
  if (workspace === undefined)
    throw new Problem(`${dir} is a backup of an installation; expected a folder that export-workspace wrote.`);
  const client = new pg.Client({ connectionString: installation.databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // the rejected query reports it
  await client.connect();
  try {
    await requireSameSchema(client, manifest);
    await requireAbsent(client, workspace.workspaceIds);
    await restoreBodies(manifest, options);
    await client.query('BEGIN');
    await insertRows(client, manifest, dir);
    await sealWithOwnKey(client, workspace.workspaceIds, options);
    const members = await addMembers(client, workspace.members);
    await client.query('COMMIT');
    say(`database: ${manifest.tables.reduce((total, { rows }) => total + rows, 0)} rows`);
    const { workspaceIds, name } = workspace;
    return { workspaceIds, name, ...members };
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(`The import failed, and no row was stored: ${messageOf(error)}`);
  } finally {
    await client.end().catch(() => {}); // ends an open transaction
  }
}

async function requireSameSchema(client: pg.Client, { migrations, version }: Manifest): Promise<void> {
  const schemas = await serviceSchemas(client);
  const differing: string[] = [];
  for (const schema of new Set([...schemas, ...Object.keys(migrations)])) {
    const own = schemas.includes(schema) ? await appliedMigrations(client, schema) : [];
    if (own.join() !== (migrations[schema] ?? []).join()) differing.push(schema);
  }
  if (differing.length > 0)
    throw new Problem(
      `The export was made by version ${version} with another schema of ${differing.join(', ')}. Bring both installations to one version, and export again.`,
    );
}

async function requireAbsent(client: pg.Client, workspaceIds: readonly string[]): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM identity.workspaces WHERE id = ANY ($1)', [workspaceIds]);
  if (rowCount !== 0) throw new Problem(`The workspace ${workspaceIds[0]} exists in this installation already.`);
  const { rowCount: deleted } = await client.query(
    `SELECT FROM archive.workspace_states WHERE workspace_id = ANY ($1) AND state = 'deleted'`,
    [workspaceIds],
  );
  if (deleted !== 0)
    throw new Problem(
      `The workspace ${workspaceIds[0]} was deleted in this installation, and its data is still being removed; import it a day later.`,
    );
}

async function insertRows(client: pg.Client, manifest: Manifest, dir: string): Promise<void> {
  for (const rule of WORKSPACE_TABLES) {
    const copied = manifest.tables.find(({ schema, table }) => schema === rule.schema && table === rule.table);
    if (copied === undefined) throw new Problem(`The export has no rows of ${rule.schema}.${rule.table}.`);
    if (rule.numbered === undefined && !refersToNumber(rule)) await insertTable(client, dir, copied);
    else await insertNumbered(client, dir, rule, copied);
  }
  // What belongs to the installation that made the export: its billing, and the key of the request that made the workspace.
  await client.query(
    'UPDATE identity.workspaces SET plan_version = 0, welcome_of = NULL, idempotency_key = NULL WHERE id = ANY ($1)',
    [manifest.workspace?.workspaceIds],
  );
}

const refersToNumber = ({ belongs }: WorkspaceTable): boolean =>
  belongs.by === 'parent' &&
  WORKSPACE_TABLES.some(
    ({ schema, table, numbered }) => `${schema}.${table}` === belongs.parent && numbered === belongs.key,
  );

/** Inserts rows that contain numbers of a sequence, or refer to such rows, with numbers of this installation. */
async function insertNumbered(
  client: pg.Client,
  dir: string,
  rule: WorkspaceTable,
  copied: CopiedTable,
): Promise<void> {
  const { schema, table, belongs, numbered, refersToOwn } = rule;
  const name = quoted(schema, table);
  const columns = copied.columns.map((column) => quoted(column)).join(', ');
  await client.query(`CREATE TEMP TABLE incoming (LIKE ${name} INCLUDING DEFAULTS) ON COMMIT DROP`);
  await insertTable(client, dir, copied, 'incoming');
  if (numbered !== undefined) {
    const numbers = `${schema}_${table}_numbers`;
    const sequence = `pg_get_serial_sequence(${pg.escapeLiteral(`${schema}.${table}`)}, ${pg.escapeLiteral(numbered)})`;
    await client.query(
      `CREATE TEMP TABLE ${numbers} ON COMMIT DROP AS SELECT ${numbered} AS old_no, nextval(${sequence}) AS new_no FROM incoming`,
    );
    if (refersToOwn !== undefined)
      await client.query(
        `UPDATE incoming SET ${refersToOwn} = (SELECT new_no FROM ${numbers} WHERE old_no = ${refersToOwn}) WHERE ${refersToOwn} IS NOT NULL`,
      );
    await client.query(`UPDATE incoming SET ${numbered} = n.new_no FROM ${numbers} n WHERE n.old_no = ${numbered}`);
  } else if (belongs.by === 'parent') {
    const numbers = `${belongs.parent.replace('.', '_')}_numbers`;
    await client.query(
      `UPDATE incoming SET ${belongs.column} = n.new_no FROM ${numbers} n WHERE n.old_no = ${belongs.column}`,
    );
  }
  await client.query(`INSERT INTO ${name} (${columns}) SELECT ${columns} FROM incoming`);
  await client.query('DROP TABLE incoming');
}

const Key = z.array(z.object({ key: z.string(), fingerprint: z.string() }));

/** Seals the secrets of the imported rows with the current key of this installation. @throws Problem naming the key that is missing */
async function sealWithOwnKey(
  client: pg.Client,
  workspaceIds: readonly string[],
  { ownKeys, sourceKeys }: ImportOptions,
): Promise<void> {
  const keys: SealingKeys = readSealingKeys([ownKeys, sourceKeys].filter((one) => one !== '').join(','));
  for (const column of SEALED_COLUMNS) {
    const name = `${column.schema}.${column.table}`;
    if (!WORKSPACE_TABLES.some(({ schema, table }) => `${schema}.${table}` === name)) continue;
    const { rows } = await client.query(
      `SELECT DISTINCT s.key::text AS key, encode(substr(s.v, 2, 4), 'hex') AS fingerprint FROM (${sealedValuesOf(column)}) s
       WHERE s.key IN (SELECT ${quoted(column.key)} FROM ${quoted(column.schema, column.table)} WHERE ${conditionOf(name, workspaceIds)})`,
    );
    const sealed = Key.parse(rows);
    const missing = sealed.find(({ fingerprint }) => !keys.fingerprints.includes(fingerprint));
    if (missing !== undefined)
      throw new Problem(
        `${name}.${column.column} contains secrets that are sealed with the key ${missing.fingerprint}. Pass the keys of the other installation with --keys-from, a file that backup --keys-to wrote there.`,
      );
    const { lost } = await resealRows(client, column, keys, [...new Set(sealed.map(({ key }) => key))]);
    if (lost > 0) throw new Problem(`${lost} secrets of ${name}.${column.column} can not be opened with their key.`);
  }
}

/** Makes people with an account of the same proven address members. */
async function addMembers(
  client: pg.Client,
  members: NonNullable<Manifest['workspace']>['members'],
): Promise<Pick<Imported, 'members' | 'absent' | 'hasOwner'>> {
  const present = new Set<string>();
  const absent = new Set<string>();
  let hasOwner = false;
  for (const { workspaceId, address, role } of members) {
    const { rowCount } = await client.query(
      `INSERT INTO identity.memberships (workspace_id, user_id, role)
       SELECT $1, id, $3 FROM identity.users WHERE email = $2 AND address_state = 'proven' AND disabled_at IS NULL`,
      [workspaceId, address, role],
    );
    if (rowCount === 0) absent.add(address);
    else present.add(address);
    hasOwner ||= rowCount !== 0 && role === 'owner';
  }
  return { members: [...present], absent: [...absent], hasOwner };
}
