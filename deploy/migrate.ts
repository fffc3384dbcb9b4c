// Migrates the schema of every service: part of `npm start`, and a separate command (`node deploy/migrate.ts`) for a
// Kubernetes job. Each service has its own schema, so the order does not matter.
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import pLimit from 'p-limit';
import pg from 'pg';
import { messageOf, Problem } from './local/problem.ts';
import { runToEnd } from './local/programs.ts';

const ROOT = resolve(import.meta.dirname, '..');
const AT_ONCE = 2; // each run of Prisma costs two seconds of CPU
const DEPLOY_WITHIN_MS = 180_000;

interface Migrations {
  readonly service: string;
  readonly names: readonly string[];
}

export interface MigrateOptions {
  readonly servicesDir?: string;
  /** Folder for state files of Prisma, which it would otherwise write to the home folder. */
  readonly scratchDir?: string;
}

/** Applies pending migrations. A service without any costs one query. @returns the migrated services */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { servicesDir = join(ROOT, 'services'), scratchDir = tmpdir() } = options;
  const pending = await withPending(databaseUrl, migrationsIn(servicesDir));
  await pLimit(AT_ONCE).map(pending, (service) => deploy(databaseUrl, join(servicesDir, service), scratchDir));
  return pending;
}

/** Returns the migrations of every service that has any, by name. */
export function migrationsIn(servicesDir: string): Migrations[] {
  return readdirSync(servicesDir)
    .sort()
    .flatMap((service) => {
      const dir = join(servicesDir, service, 'prisma/migrations');
      if (!existsSync(dir)) return [];
      const names = readdirSync(dir).filter((name) => existsSync(join(dir, name, 'migration.sql')));
      return names.length === 0 ? [] : [{ service, names }];
    });
}

async function withPending(databaseUrl: string, all: readonly Migrations[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // the rejected query reports it
  try {
    await client.connect();
    const pending: string[] = [];
    for (const { service, names } of all) {
      const applied = await appliedIn(client, service);
      if (names.some((name) => !applied.has(name))) pending.push(service);
    }
    return pending;
  } catch (error) {
    throw new Problem(
      `The migrations of the database could not be read (${messageOf(error)}); expected a PostgreSQL server at DATABASE_URL that may be written to.`,
    );
  } finally {
    await client.end().catch(() => {});
  }
}

async function appliedIn(client: pg.Client, schema: string): Promise<Set<unknown>> {
  const table = `"${schema}"._prisma_migrations`;
  const there = await client.query('select to_regclass($1) is not null as there', [table]);
  if (there.rows[0]?.there !== true) return new Set();
  const done = `select migration_name from ${table} where finished_at is not null and rolled_back_at is null`;
  const { rows } = await client.query(done);
  return new Set(rows.map((row) => row.migration_name));
}

async function deploy(databaseUrl: string, serviceDir: string, scratchDir: string): Promise<void> {
  const service = basename(serviceDir);
  const url = new URL(databaseUrl);
  url.searchParams.set('schema', service);
  const env = {
    ...process.env,
    DATABASE_URL: url.href,
    // The schema engine's first line needs `node` on PATH.
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: scratchDir,
    XDG_CONFIG_HOME: join(scratchDir, 'prisma'),
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
  const prisma = join(ROOT, 'node_modules/prisma/build/index.js');
  try {
    await runToEnd([process.execPath, prisma, 'migrate', 'deploy'], {
      cwd: serviceDir,
      env,
      withinMs: DEPLOY_WITHIN_MS,
    });
  } catch (error) {
    throw new Problem(
      `The migrations of ${service} could not be applied (${messageOf(error)}); look at services/${service}/prisma/migrations.`,
    );
  }
}

async function main(): Promise<void> {
  const databaseUrl = process.env['DATABASE_URL'];
  if (databaseUrl === undefined || databaseUrl === '')
    throw new Problem('DATABASE_URL is not set; expected postgresql://user:password@host:port/database.');
  const migrated = await migrate(databaseUrl);
  console.log(migrated.length === 0 ? 'every schema is up to date' : `migrated ${migrated.join(', ')}`);
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    console.error(messageOf(error));
    process.exitCode = 1;
  });
}
