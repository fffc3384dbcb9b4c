import { PrismaPg } from '@prisma/adapter-pg';
import { codeOf, messageOf } from '@tidemark/errors';
import pg from 'pg';

/** A pool on a service's own schema, shared by its Prisma client and its hand-written batch statements. */
export function openPool(databaseUrl: string, schema: string, max = 6): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max,
    application_name: schema,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    // Every statement has an end, and so has a transaction that was forgotten.
    options: `-c search_path="${schema}" -c statement_timeout=30000 -c idle_in_transaction_session_timeout=30000`,
  });
  // A connection that breaks while idle is replaced at the next use; unheard, the event would end the process.
  pool.on('error', () => undefined);
  // So would one that breaks between two statements of a transaction; the next statement tells.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** The driver adapter that runs a Prisma client over such a pool. */
export function prismaAdapter(pool: pg.Pool, schema: string): PrismaPg {
  return new PrismaPg(pool, { schema });
}

/** Runs statements that stand or fall together. A connection that can't even undo them is not used again. */
export async function inTransaction<T>(pool: pg.Pool, run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    await client.query('BEGIN');
    const result = await run(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      isBroken = true;
    });
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/** Resolves when the database answers. */
export async function pingDatabase(pool: pg.Pool): Promise<void> {
  await pool.query('SELECT 1');
}

/** SQLSTATEs of a server going or coming (class 08, 57P01 to 57P03, 53300) and the codes of sockets, pg and Prisma for the same. */
const UNAVAILABLE_CODE =
  /^(08...|57P0[1-3]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT|P1001|P1002|P1008|P1017|P2024)$/;
/** What the drivers only say in words; Prisma wraps a SQLSTATE it doesn't know in its message. */
const UNAVAILABLE_MESSAGE =
  /ECONNREFUSED|ECONNRESET|terminat|timeout exceeded when trying to connect|the database system is|not queryable|Code: `(08...|57P0[1-3]|53300)`/;

/** Whether an error means that the database is away or restarting, so that the same statement may be tried again. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return UNAVAILABLE_CODE.test(codeOf(error)) || UNAVAILABLE_MESSAGE.test(messageOf(error));
}

/** Repeats a repeatable statement while the database is away, `forMs` at most. */
export async function retryWhileDatabaseUnavailable<T>(run: () => Promise<T>, forMs: number): Promise<T> {
  const until = Date.now() + forMs;
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    try {
      return await run();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() + waitMs > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
