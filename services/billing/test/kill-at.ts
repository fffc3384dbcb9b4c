import { join } from 'node:path';
import { type ServiceProcess, spawnService, until } from '@tidemark/testkit';
import pg from 'pg';
import type { Shop } from './shop.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

/** Starts billing in a process of its own, on the servers of a shop. */
export const spawnBilling = (
  { billing, env }: Pick<Shop, 'billing' | 'env'>,
  sweepSeconds: number,
): Promise<ServiceProcess> =>
  spawnService('billing', MAIN, {
    ...billing.env,
    ...env,

    IDENTITY_ADDR: billing.identity.address,
    SWEEP_SECONDS: String(sweepSeconds),
  });

export interface Kill {
  /** Stopped for writes; the process is killed when it waits for it. */
  readonly table: string;
  readonly sweepSeconds: number;
  /** Starts the step in the process; a step that is due by itself needs none. */
  readonly work?: (victim: ServiceProcess) => Promise<unknown>;
}

/**
 * Stops every write of a table, starts a process that works, and kills it when it waits for the table.
 * @returns whether `work` was answered before
 */
export async function killAt(
  shop: Pick<Shop, 'billing' | 'env'>,
  { table, sweepSeconds, work }: Kill,
): Promise<boolean> {
  const { database } = shop.billing;
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query(`LOCK TABLE billing.${table} IN SHARE ROW EXCLUSIVE MODE`);
  const victim = await spawnBilling(shop, sweepSeconds);
  try {
    const working = (work?.(victim) ?? Promise.resolve()).then(
      () => true,
      () => false,
    );
    await until(`a write of ${table}`, async () => {
      const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted AND relation = $1::regclass';
      return (await database.sql(waiting, [`billing.${table}`])).length > 0;
    });
    await victim.kill('SIGKILL');
    await holder.query('ROLLBACK');
    return await working;
  } finally {
    await holder.end();
    await victim.close();
  }
}
