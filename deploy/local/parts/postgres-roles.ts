import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { readJson, writeJson } from '../json-file.ts';
import { LOOPBACK } from '../ports.ts';
import { messageOf, Problem } from '../problem.ts';
import { runToEnd } from '../programs.ts';
import { newPassword } from './passwords.ts';
import type { Account } from './postgres-account.ts';

export const DATABASE = 'tidemark';

/** The superuser of the cluster: creates roles and databases. No service has its password. */
export const SETUP_ROLE = 'tidemark';

/** Owns the database and its schemas, and is no superuser. The services and the migrations connect with it. */
export const SERVICES_ROLE = 'tidemark_services';

/** Passwords of the two roles. */
interface RolePasswords {
  readonly setup: string;
  readonly services: string;
}

/** The file with the passwords of the cluster in `<dataDir>/postgres`, mode 0600. */
export const passwordFile = (dataDir: string): string => join(dataDir, 'postgres.json');

function knownPasswords(dataDir: string): RolePasswords | undefined {
  const { setup, services } = readJson(passwordFile(dataDir));
  return typeof setup === 'string' && typeof services === 'string' ? { setup, services } : undefined;
}

/** Returns the passwords of a cluster. @throws Problem where its file is absent or damaged */
function passwordsOf(dataDir: string): RolePasswords {
  const known = knownPasswords(dataDir);
  if (known !== undefined) return known;
  throw new Problem(
    `${passwordFile(dataDir)} holds no passwords of the database; expected the file that the start writes: start again, which sets new ones.`,
  );
}

const urlOf = (role: string, password: string, port: number, database: string): string =>
  `postgresql://${role}:${password}@${LOOPBACK}:${port}/${database}`;

/** Returns the URL of the services' database, with the role that is no superuser. */
export const databaseUrlAt = (dataDir: string, port: number): string =>
  urlOf(SERVICES_ROLE, passwordsOf(dataDir).services, port, DATABASE);

/** Returns the URL of the maintenance database, with the superuser. For setup, tests and benchmarks. */
export const adminUrlAt = (dataDir: string, port: number): string =>
  urlOf(SETUP_ROLE, passwordsOf(dataDir).setup, port, 'postgres');

/** A cluster that does not run, and how programs of PostgreSQL are run on it. */
export interface StoppedCluster {
  readonly bin: string;
  readonly dir: string;
  readonly dataDir: string;
  readonly account: Account;
  readonly env: Record<string, string>;
}

/**
 * Makes a stopped cluster accept passwords only. A cluster without a password file (a new one, or one of an earlier version, which trusted
 * every local user) gets new passwords.
 */
export async function requirePasswords(cluster: StoppedCluster): Promise<void> {
  // Keeps owner and mode of an existing file: PostgreSQL may run under another account.
  writeFileSync(join(cluster.dir, 'pg_hba.conf'), ACCESS, { mode: 0o644 });
  if (knownPasswords(cluster.dataDir) !== undefined) return;
  const passwords: RolePasswords = { setup: newPassword(), services: newPassword() };
  await setPassword(cluster, passwords.setup);
  writeJson(passwordFile(cluster.dataDir), passwords, 0o600);
}

const ACCESS = `# Written by deploy/local/parts/postgres-roles.ts at every start.
host all all ${LOOPBACK}/32 scram-sha-256
`;

/** Sets the superuser's password in single-user mode, which needs none. The password is sent on stdin: arguments are visible to other users. */
async function setPassword({ bin, dir, account, env }: StoppedCluster, password: string): Promise<void> {
  const [program = '', ...args] = [...account.prefix, join(bin, 'postgres'), '--single', '-D', dir, 'postgres'];
  try {
    await runToEnd([program, ...args], {
      env,
      cwd: dirname(dir),
      withinMs: 60_000,
      input: `ALTER ROLE ${SETUP_ROLE} PASSWORD '${password}';\n`,
    });
  } catch (error) {
    throw new Problem(
      `The database in ${dir} could not be given a password (${messageOf(error)}); expected a cluster of this version that no server uses. To start empty, move the folder away.`,
    );
  }
}

/** Creates the services' role and database, or completes them after an interrupted start. Idempotent. */
export async function ensureDatabase(dataDir: string, port: number): Promise<void> {
  const { services } = passwordsOf(dataDir);
  const isComplete = await withClient(adminUrlAt(dataDir, port), async (client) => {
    const { rowCount: roles } = await client.query('select 1 from pg_roles where rolname = $1', [SERVICES_ROLE]);
    if (roles === 0) await client.query(`create role ${SERVICES_ROLE}`);
    const attributes = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';
    await client.query(`alter role ${SERVICES_ROLE} ${attributes} password ${client.escapeLiteral(services)}`);
    const owner = 'select pg_get_userbyid(datdba) as owner from pg_database where datname = $1';
    const { rows } = await client.query(owner, [DATABASE]);
    if (rows.length === 0) await client.query(`create database ${DATABASE} owner ${SERVICES_ROLE}`);
    return rows.length === 0 || rows[0].owner === SERVICES_ROLE;
  });
  if (isComplete) return;
  const url = new URL(adminUrlAt(dataDir, port));
  url.pathname = `/${DATABASE}`;
  await withClient(url.href, async (client) => {
    await client.query(TRANSFER_OBJECTS);
    await client.query(`alter database ${DATABASE} owner to ${SERVICES_ROLE}`); // last: marks the transfer as complete
  });
}

// Earlier versions created every object as the superuser. REASSIGN OWNED refuses the objects of the bootstrap superuser.
const TRANSFER_OBJECTS = `
do $$
declare
  change text;
begin
  for change in
    select format('alter schema %I owner to ${SERVICES_ROLE}', nspname) from pg_namespace
      where nspowner = '${SETUP_ROLE}'::regrole and nspname !~ '^pg_' and nspname <> 'information_schema'
    union all
    select format('alter table %s owner to ${SERVICES_ROLE}', c.oid::regclass) from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm') and c.relowner = '${SETUP_ROLE}'::regrole
        and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    union all
    select format('alter sequence %s owner to ${SERVICES_ROLE}', c.oid::regclass) from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'S' and c.relowner = '${SETUP_ROLE}'::regrole and n.nspname !~ '^pg_'
        and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i'))
    union all
    select format('alter type %s owner to ${SERVICES_ROLE}', t.oid::regtype) from pg_type t
      join pg_namespace n on n.oid = t.typnamespace
      where t.typtype in ('e', 'd') and t.typowner = '${SETUP_ROLE}'::regrole
        and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    union all
    select format('alter routine %s owner to ${SERVICES_ROLE}', p.oid::regprocedure) from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
      where p.proowner = '${SETUP_ROLE}'::regrole and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  loop
    execute change;
  end loop;
end $$`;

async function withClient<T>(url: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {}); // the rejected query reports it
  try {
    await client.connect();
    return await run(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns whether a data folder contains a cluster. */
export const hasCluster = (dataDir: string): boolean => existsSync(join(dataDir, 'postgres/PG_VERSION'));
