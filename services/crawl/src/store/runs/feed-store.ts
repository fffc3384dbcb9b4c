import { inTransaction } from '@tidemark/service';
import { column, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { z } from 'zod';
import type { LogNote } from '../../domain/run/run-log-text.ts';
import { schema } from '../tables.ts';
import { withUrlCount } from '../url-count.ts';
import { noteRun } from './run-log.ts';

const Results = z.array(
  withUrlCount(
    z.object({
      url: z.string(),
      outcome: z.enum(['read', 'failed', 'empty']),
      urls: z.number(),
      error: z.string(),
    }),
  ),
);
/** The result of a feed in a run. */
export type FeedResult = z.infer<typeof Results>[number];

const WRITE = schema.prepareText(
  'write-feeds',
  { run_no: column('int8') },
  ({ runId, owner, feeds }: Params<{ readonly runId: string; readonly owner: string; readonly feeds: string }>) => sql`
      WITH run AS (UPDATE runs SET feeds = 'read' WHERE id = ${runId} AND owner = ${owner} AND status = 'running' RETURNING no)
      INSERT INTO run_details (run_no, feeds) SELECT no, ${feeds}::jsonb FROM run
      ON CONFLICT (run_no) DO UPDATE SET feeds = excluded.feeds RETURNING run_no`,
);

const OF_RUN = schema.prepareText(
  'feeds-of-run',
  { feeds: column('jsonb') },
  ({ runNo }: Params<{ readonly runNo: bigint | string }>) =>
    sql`SELECT feeds FROM run_details WHERE run_no = ${runNo}`,
);

/** Stores the results of feeds per run. */
export class FeedStore {
  readonly #pool: pg.Pool;
  readonly #owner: string;

  constructor(pool: pg.Pool, owner: string) {
    this.#pool = pool;
    this.#owner = owner;
  }

  /** Writes the result of each feed, as the lease holder. @returns false if the lease is lost */
  async write(runId: string, results: readonly FeedResult[], notes: readonly LogNote[]): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const rows = await WRITE.rows(client, { runId, owner: this.#owner, feeds: JSON.stringify(results) });
      const [run] = rows;
      if (run === undefined) return false;
      await noteRun(client, run.run_no, notes);
      return true;
    });
  }

  /** Returns the results of a run's feeds; none if it read none. */
  async of(runNo: bigint): Promise<FeedResult[]> {
    const rows = await OF_RUN.rows(this.#pool, { runNo });
    return Results.parse(rows[0]?.feeds ?? []);
  }
}
