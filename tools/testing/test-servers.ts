import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { SharedServers } from '@tidemark/testkit';
import pg from 'pg';
import { postgresPlan } from '../../deploy/local/parts/postgres.ts';
import { adminUrlAt, DATABASE, databaseUrlAt } from '../../deploy/local/parts/postgres-roles.ts';
import { copyTemplate } from '../../deploy/local/parts/postgres-template.ts';
import { serverPrograms } from '../../deploy/local/parts/servers.ts';
import { choosePorts, LOOPBACK } from '../../deploy/local/ports.ts';
import { messageOf } from '../../deploy/local/problem.ts';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { Supervised } from '../../deploy/local/supervise.ts';
import { migrate } from '../../deploy/migrate.ts';

const SERVICES = resolve(import.meta.dirname, '../../services');
const CONFIGURED_TEMPLATE = 'tidemark_testkit_template';

/** The PostgreSQL that all suites of a jest run share, and the server programs they start. */
export class TestServers {
  readonly #dir = mkdtempSync(join(tmpdir(), 'tidemark-servers-'));
  readonly #http: Server;
  #started: Promise<SharedServers> | undefined;
  #postgres: Supervised | undefined;

  private constructor() {
    this.#http = createServer((_, response) => {
      this.#started ??= this.#start();
      this.#started.then(
        (servers) => response.end(JSON.stringify(servers)),
        (error: unknown) => response.writeHead(500).end(messageOf(error)),
      );
    });
  }

  /** Listens on loopback. The servers start with the first request: a run of unit tests alone needs none. */
  static async listen(): Promise<TestServers> {
    const servers = new TestServers();
    await new Promise<void>((done) => servers.#http.listen(0, LOOPBACK, done));
    return servers;
  }

  get url(): string {
    const bound = this.#http.address();
    return `http://${LOOPBACK}:${typeof bound === 'object' ? bound?.port : ''}`;
  }

  async close(): Promise<void> {
    this.#http.close();
    this.#http.closeAllConnections();
    await this.#started?.catch(() => undefined);
    await this.#postgres?.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #start(): Promise<SharedServers> {
    const { DATABASE_URL, NATS_URL, REDIS_URL } = process.env;
    const [database, program] = await Promise.all([
      DATABASE_URL ? configuredDatabase(DATABASE_URL) : this.#ownDatabase(),
      serverPrograms(
        TOOLS_DIR,
        [...(NATS_URL ? [] : (['nats-server'] as const)), ...(REDIS_URL ? [] : (['redis-server'] as const))],
        () => {},
      ),
    ]);
    return {
      database,
      nats: NATS_URL ? { url: NATS_URL } : program('nats-server'),
      redis: REDIS_URL ? { url: REDIS_URL } : program('redis-server'),
    };
  }

  /** Starts a server on a copy of a cluster that is created and migrated once. */
  async #ownDatabase(): Promise<SharedServers['database']> {
    mkdirSync(join(this.#dir, 'tmp'));
    await copyTemplate(TOOLS_DIR, SERVICES, this.#dir);
    const port = (await choosePorts(join(this.#dir, 'ports.json'), ['postgres']))('postgres');
    const plan = await postgresPlan({ dataDir: this.#dir, port, ephemeral: true });
    this.#postgres = new Supervised(plan, { keepAlive: false, onChange() {}, onUnexpectedEnd() {} });
    await this.#postgres.start();
    return { adminUrl: adminUrlAt(this.#dir, port), serviceUrl: databaseUrlAt(this.#dir, port), template: DATABASE };
  }
}

/** Creates and migrates a template database on the operator's server; suites copy it and drop their copies. */
async function configuredDatabase(adminUrl: string): Promise<SharedServers['database']> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [CONFIGURED_TEMPLATE]);
    if (rowCount === 0) await admin.query(`CREATE DATABASE ${CONFIGURED_TEMPLATE}`);
  } finally {
    await admin.end();
  }
  const url = new URL(adminUrl);
  url.pathname = `/${CONFIGURED_TEMPLATE}`;
  await migrate(url.href);
  return { adminUrl, serviceUrl: adminUrl, template: CONFIGURED_TEMPLATE };
}
