import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { sharedServers } from './shared-servers.ts';

/** A migrated database for one suite. */
export interface TestDatabase {
  readonly url: string;
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Terminates every other connection, as a restarting server does. */
  cutConnections(): Promise<void>;
  close(): Promise<void>;
}

async function asAdmin<T>(adminUrl: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

/** Creates a database by copying the migrated template, in about 50 ms. */
export async function createDatabase(): Promise<TestDatabase> {
  const { adminUrl, serviceUrl, template } = (await sharedServers()).database;
  const name = `suite_${randomBytes(6).toString('hex')}`;
  // Copies the files of the small template: a tenth of the time of the default, which logs every page.
  const url = new URL(serviceUrl);
  const copy = `CREATE DATABASE ${name} OWNER "${url.username}" TEMPLATE "${template}" STRATEGY FILE_COPY`;
  await asAdmin(adminUrl, (admin) => admin.query(copy));
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 4, application_name: 'test' });
  pool.on('error', () => undefined);
  return {
    url: url.href,
    sql: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await pool.query<Row>(text, [...values])).rows,
    async cutConnections() {
      await asAdmin(adminUrl, (admin) =>
        admin.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name <> 'test'",
          [name],
        ),
      );
    },
    async close() {
      await pool.end();
      await asAdmin(adminUrl, (admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}
