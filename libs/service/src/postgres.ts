import { setTimeout as sleep } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { codeOf, messageOf } from '@tidemark/errors';
import pg from 'pg';
import { observeGauge } from './instruments.ts';

const SESSION_SETTINGS = {
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 30_000,
  // A prepared statement keeps the plan of its first executions. A sequential scan, the cheapest plan of a small table, would then read the whole
  // table at each execution after it has grown. It is still used where no index fits.
  enable_seqscan: 'off',
  // Before PostgreSQL 18, a plan that needs a sequential scan all the same has a cost at which it would be compiled.
  jit: 'off',
};

/** Opens a connection pool on a service's schema, shared by its Prisma client and its SQL batch statements. */
export function openPool(databaseUrl: string, schema: string, max = 6): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max,
    application_name: schema,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    options: Object.entries({ search_path: `"${schema}"`, ...SESSION_SETTINGS })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  });
  // A connection that breaks while idle is replaced at the next use. Without a listener the event would terminate the process.
  pool.on('error', () => undefined);
  // The same holds for a connection that breaks between two statements of a transaction; the next statement fails.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  observeGauge(
    'tidemark_postgres_connections',
    { description: 'Connections of a service to PostgreSQL by state; waiting: requests for one that wait' },
    () => [
      { value: pool.totalCount - pool.idleCount, labels: { service: schema, state: 'used' } },
      { value: pool.idleCount, labels: { service: schema, state: 'idle' } },
      { value: pool.waitingCount, labels: { service: schema, state: 'waiting' } },
      { value: max, labels: { service: schema, state: 'limit' } },
    ],
  );
  return pool;
}

/** Returns the driver adapter that runs a Prisma client over this pool. */
export function prismaAdapter(pool: pg.Pool, schema: string): PrismaPg {
  return new PrismaPg(pool, { schema });
}

/** A transaction. Disposing it rolls back what is not committed; a connection whose rollback fails is discarded. */
export interface Transaction extends AsyncDisposable {
  readonly client: pg.PoolClient;
  commit(): Promise<void>;
}

/** Begins a transaction, for a use case that loads locked rows, decides, and writes. */
export async function beginTransaction(pool: pg.Pool): Promise<Transaction> {
  const client = await pool.connect();
  let isOpen = true;
  const transaction: Transaction = {
    client,
    async commit() {
      await client.query('COMMIT');
      isOpen = false;
    },
    async [Symbol.asyncDispose]() {
      let isBroken = false;
      if (isOpen) {
        await client.query('ROLLBACK').catch(() => {
          isBroken = true;
        });
      }
      client.release(isBroken);
    },
  };
  try {
    await client.query('BEGIN');
  } catch (error) {
    await transaction[Symbol.asyncDispose]();
    throw error;
  }
  return transaction;
}

/** Runs `run` in a transaction. Rolls back if it rejects; a connection whose rollback fails is discarded. */
export async function inTransaction<T>(pool: pg.Pool, run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  await using transaction = await beginTransaction(pool);
  const result = await run(transaction.client);
  await transaction.commit();
  return result;
}

/** Resolves when the database responds to a query. */
export async function pingDatabase(pool: pg.Pool): Promise<void> {
  await pool.query('SELECT 1');
}

/** SQLSTATEs of a server that shuts down or starts (class 08, 57P01 to 57P03, 53300), and the equivalent codes of sockets, pg and Prisma. */
const UNAVAILABLE_CODE =
  /^(08...|57P0[1-3]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT|P1001|P1002|P1008|P1017|P2024)$/;
/** Messages of driver errors without a code. Prisma puts an unmapped SQLSTATE into its message. */
const UNAVAILABLE_MESSAGE =
  /ECONNREFUSED|ECONNRESET|terminat|timeout exceeded when trying to connect|the database system is|not queryable|Code: `(08...|57P0[1-3]|53300)`/;

/** Returns whether an error means that the database is unavailable or restarting, so that the same statement may be retried. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return UNAVAILABLE_CODE.test(codeOf(error)) || UNAVAILABLE_MESSAGE.test(messageOf(error));
}

/** Retries an idempotent statement while the database is unavailable, for at most `forMs`. */
export async function retryWhileDatabaseUnavailable<T>(run: () => Promise<T>, forMs: number): Promise<T> {
  const until = Date.now() + forMs;
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    try {
      return await run();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() + waitMs > until) throw error;
      await sleep(waitMs);
    }
  }
}
