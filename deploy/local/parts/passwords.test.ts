import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { choosePorts } from '../ports.ts';
import { messageOf } from '../problem.ts';
import { TOOLS_DIR } from '../stack-context.ts';
import { type ProcessPlan, Supervised } from '../supervise.ts';
import { natsPlan } from './nats.ts';
import { expectResponse } from './part.ts';
import { serverPasswords } from './passwords.ts';
import { postgresPlan } from './postgres.ts';
import { adminUrlAt, DATABASE, databaseUrlAt, passwordFile, SERVICES_ROLE, SETUP_ROLE } from './postgres-roles.ts';
import { copyTemplate } from './postgres-template.ts';
import { redisPlan } from './redis.ts';
import { serverPrograms } from './servers.ts';

const SERVICES = join(import.meta.dirname, '../../../services');
const dataDir = mkdtempSync(join(tmpdir(), 'tidemark-parts-'));
const started: Supervised[] = [];
let port: (name: 'postgres' | 'nats' | 'redis') => number;

async function run(plan: ProcessPlan): Promise<Supervised> {
  const server = new Supervised(plan, { keepAlive: false, onChange() {}, onUnexpectedEnd() {} });
  started.push(server);
  await server.start();
  return server;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const failure = (work: Promise<unknown>): Promise<string> => work.then(() => 'no failure', messageOf);
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

beforeAll(async () => {
  mkdirSync(join(dataDir, 'tmp'));
  mkdirSync(join(dataDir, 'logs'));
  port = await choosePorts(join(dataDir, 'ports.json'), ['postgres', 'nats', 'redis']);
});

afterAll(async () => {
  await Promise.all(started.map((server) => server.stop()));
  rmSync(dataDir, { recursive: true, force: true });
});

const startPostgres = async (): Promise<Supervised> =>
  run(await postgresPlan({ dataDir, port: port('postgres'), ephemeral: true }));

const OWNERS = `select tableowner as owner, count(*)::int as tables from pg_tables
  where schemaname not in ('pg_catalog', 'information_schema') group by 1`;

describe('the embedded PostgreSQL', () => {
  it('accepts no connection without the password, and gives the services a role that is no superuser', async () => {
    await copyTemplate(TOOLS_DIR, SERVICES, dataDir);
    const server = await startPostgres();
    const url = new URL(databaseUrlAt(dataDir, port('postgres')));
    url.password = '';
    expect(await failure(query(url.href, 'select 1'))).toMatch(/password/);
    url.password = 'tidemark';
    expect(await failure(query(url.href, 'select 1'))).toMatch(/password authentication failed/);
    const [role] = await query(
      databaseUrlAt(dataDir, port('postgres')),
      'select rolname as name, rolsuper as super, rolcreaterole as roles, rolcreatedb as databases from pg_roles where rolname = current_user',
    );
    expect(role).toEqual({ name: SERVICES_ROLE, super: false, roles: false, databases: false });
    expect((await query(databaseUrlAt(dataDir, port('postgres')), OWNERS)).map(({ owner }) => owner)).toEqual([
      SERVICES_ROLE,
    ]);
    expect(modeOf(passwordFile(dataDir))).toBe('600');
    expect(modeOf(join(dataDir, 'postgres'))).toBe('700');
    await server.stop();
  });

  it('takes over a cluster of an earlier version, which trusted every user and owned its objects as superuser', async () => {
    const before = await startPostgres();
    const admin = adminUrlAt(dataDir, port('postgres'));
    const own = new URL(admin);
    own.pathname = `/${DATABASE}`;
    await query(admin, `alter database ${DATABASE} owner to ${SETUP_ROLE}`);
    await query(
      own.href,
      `create schema earlier; create type earlier.kind as enum ('a');
      create table earlier.things (id serial primary key, kind earlier.kind)`,
    );
    await before.stop();
    rmSync(passwordFile(dataDir));
    writeFileSync(join(dataDir, 'postgres/pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');

    await startPostgres();
    expect(await failure(query(admin, 'select 1'))).toMatch(/password authentication failed/);
    const url = databaseUrlAt(dataDir, port('postgres'));
    await query(
      url,
      `insert into earlier.things (kind) values ('a'); alter type earlier.kind add value 'b'; alter table earlier.things add more int`,
    );
    expect((await query(url, OWNERS)).map(({ owner }) => owner)).toEqual([SERVICES_ROLE]);
  });
});

describe('the embedded NATS and Redis', () => {
  it('refuse a client without the password, which is in files that the owner alone can read', async () => {
    const passwords = serverPasswords(dataDir);
    const program = await serverPrograms(TOOLS_DIR, ['nats-server', 'redis-server'], () => {});
    const nats = { program: program('nats-server'), password: passwords.nats };
    const redis = { program: program('redis-server'), password: passwords.redis };
    const plans = [natsPlan(dataDir, port('nats'), nats), redisPlan(dataDir, port('redis'), redis)];
    await Promise.all(plans.map(run));
    await expectResponse(port('nats'), 'CONNECT {"verbose":false}\r\nPING\r\n', 'Authorization Violation');
    await expectResponse(port('redis'), 'PING\r\n', '-NOAUTH');
    const files = ['passwords.json', 'nats/nats.conf', 'redis/redis.conf'].map((file) => join(dataDir, file));
    expect(files.map(modeOf)).toEqual(['600', '600', '600']);
    for (const { command } of plans)
      expect(command.join(' ')).not.toMatch(new RegExp(`${passwords.nats}|${passwords.redis}`));
    expect(serverPasswords(dataDir)).toEqual(passwords);
  });
});
