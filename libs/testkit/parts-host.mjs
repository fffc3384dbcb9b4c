// The PostgreSQL that all suites of one jest run share, and where the NATS program is. Started once by whichever suite comes
// first (src/parts.ts), it ends with the jest process named by TESTKIT_OWNER_PID.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { TOOLS_DIR } from '../../deploy/local/ground.ts';
import { databaseUrlAt, postgresPlan } from '../../deploy/local/parts/postgres.ts';
import { copyTemplate } from '../../deploy/local/parts/postgres-template.ts';
import { serverPrograms } from '../../deploy/local/parts/servers.ts';
import { choosePorts } from '../../deploy/local/ports.ts';
import { isAlive, startedAt } from '../../deploy/local/processes.ts';
import { Supervised } from '../../deploy/local/supervise.ts';
import { migrate } from '../../deploy/migrate.ts';

const SERVICES = resolve(import.meta.dirname, '../../services');
const LOOK_EVERY_MS = 200;
const CONFIGURED_TEMPLATE = 'tidemark_testkit_template';
const dir = resolve(process.env['TESTKIT_DIR'] ?? '');
const ownerPid = Number(process.env['TESTKIT_OWNER_PID']);
const ownerStarted = startedAt(ownerPid);
let server;

/** A server of our own: a copy of a cluster that was made and migrated once. */
async function ownDatabase() {
  mkdirSync(join(dir, 'tmp'), { recursive: true });
  await copyTemplate(TOOLS_DIR, SERVICES, dir);
  const port = (await choosePorts(join(dir, 'ports.json'), ['postgres']))('postgres');
  const plan = await postgresPlan({ dataDir: dir, port, ephemeral: true });
  server = new Supervised(plan, { keepAlive: false, onChange: () => {}, onUnexpectedEnd: () => {} });
  await server.start();
  const url = new URL(databaseUrlAt(port));
  const template = url.pathname.slice(1);
  url.pathname = '/postgres';
  return { adminUrl: url.href, template };
}

/** The operator's server: suites make databases beside its own and drop them again. */
async function configuredDatabase(adminUrl) {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    const there = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [CONFIGURED_TEMPLATE]);
    if (there.rowCount === 0) await admin.query(`CREATE DATABASE ${CONFIGURED_TEMPLATE}`);
  } finally {
    await admin.end();
  }
  const url = new URL(adminUrl);
  url.pathname = `/${CONFIGURED_TEMPLATE}`;
  await migrate(url.href);
  return { adminUrl, template: CONFIGURED_TEMPLATE };
}

async function bringUp() {
  const databaseUrl = process.env['DATABASE_URL'];
  const natsUrl = process.env['NATS_URL'];
  const database = databaseUrl ? await configuredDatabase(databaseUrl) : await ownDatabase();
  const redisUrl = process.env['REDIS_URL'];
  const program = await serverPrograms(
    TOOLS_DIR,
    [...(natsUrl ? [] : ['nats-server']), ...(redisUrl ? [] : ['redis-server'])],
    () => {},
  );
  const nats = natsUrl ? { url: natsUrl } : program('nats-server');
  const redis = redisUrl ? { url: redisUrl } : program('redis-server');
  return { database, nats, redis };
}

/** The file appears whole: whoever sees it can read it. */
function tell(message) {
  writeFileSync(join(dir, 'parts.json.new'), JSON.stringify(message));
  renameSync(join(dir, 'parts.json.new'), join(dir, 'parts.json'));
}

async function end() {
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
  process.exit(0);
}

try {
  tell(await bringUp());
} catch (error) {
  tell({ failed: String(error?.message ?? error) });
}
const watch = setInterval(() => {
  if (isAlive(ownerPid) && startedAt(ownerPid) === ownerStarted) return;
  clearInterval(watch);
  void end();
}, LOOK_EVERY_MS);
