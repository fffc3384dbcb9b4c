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
/** What a feed gave a run. */
export type FeedResult = z.infer<typeof Results>[number];

/** What the feeds of runs gave. */
export class FeedStore {
  readonly #pool: pg.Pool;
  readonly #owner: string;

  constructor(pool: pg.Pool, owner: string) {
    this.#pool = pool;
    this.#owner = owner;
  }

  /** Notes what each feed gave, as the run's conductor. @returns false where the run isn't ours any more */
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

  /** What each feed of a run gave; none where it read none. */
  async of(runNo: bigint): Promise<FeedResult[]> {
    const { rows } = await this.#pool.query<{ feeds: unknown }>({
      name: 'feeds-of-run',
      text: 'SELECT feeds FROM run_details WHERE run_no = $1',
      values: [runNo],
    });
    return Results.parse(rows[0]?.feeds ?? []);
  }
}
