import { inTransaction } from '@tidemark/service';
import type pg from 'pg';

/**
 * Reads a batch of a run in index order. The planner has no statistics of a run that has just ended, and would sort all remaining rows for each
 * batch: 436 ms instead of 1.3.
 */
export async function inIndexOrder<R extends pg.QueryResultRow>(pool: pg.Pool, query: pg.QueryConfig): Promise<R[]> {
  return inTransaction(pool, async (client) => {
    await client.query(
      `SELECT set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)`,
    );
    return (await client.query<R>(query)).rows;
  });
}
