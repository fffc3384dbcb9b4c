import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { z } from 'zod';
import type { LogNote } from '../../domain/run/run-log-text.ts';
import { noteRun } from './run-log.ts';

const Results = z.array(
  z.object({
    url: z.string(),
    outcome: z.enum(['read', 'failed', 'empty']),
    addresses: z.number(),
    error: z.string(),
  }),
);
/** The result of a feed in a run. */
export type FeedResult = z.infer<typeof Results>[number];

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
      const { rows } = await client.query<{ run_no: string }>({
        name: 'write-feeds',
        text: `
          WITH run AS (UPDATE runs SET feeds = 'read' WHERE id = $1 AND owner = $2 AND status = 'running' RETURNING no)
          INSERT INTO run_details (run_no, feeds) SELECT no, $3::jsonb FROM run
          ON CONFLICT (run_no) DO UPDATE SET feeds = excluded.feeds RETURNING run_no`,
        values: [runId, this.#owner, JSON.stringify(results)],
      });
      const [run] = rows;
      if (run === undefined) return false;
      await noteRun(client, run.run_no, notes);
      return true;
    });
  }

  /** Returns the results of a run's feeds; none if it read none. */
  async of(runNo: bigint): Promise<FeedResult[]> {
    const { rows } = await this.#pool.query<{ feeds: unknown }>({
      name: 'feeds-of-run',
      text: 'SELECT feeds FROM run_details WHERE run_no = $1',
      values: [runNo],
    });
    return Results.parse(rows[0]?.feeds ?? []);
  }
}
