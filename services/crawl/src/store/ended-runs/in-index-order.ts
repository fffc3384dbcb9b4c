import { inTransaction } from '@tidemark/service';
import type pg from 'pg';

/**
 * Reads a piece of a run as the index has it. The planner knows nothing of a run that has just ended, and would sort all that is left of
 * it for each piece: 436 ms instead of 1.3.
 */
export async function inIndexOrder<R extends pg.QueryResultRow>(pool: pg.Pool, query: pg.QueryConfig): Promise<R[]> {
  return inTransaction(pool, async (client) => {
    await client.query(
      `SELECT set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)`,
    );
    return (await client.query<R>(query)).rows;
  });
}
