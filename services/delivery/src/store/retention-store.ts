import { inTransaction } from '@tidemark/service';
import type pg from 'pg';

/** A statement has half a minute. */
const MAX_ROWS = 2_000;
/** Projects that are gone are known this long: runs of them may still be heard of. */
const MARK_DAYS = 7;

const RECEIVERS_OF = `r.id IN (p.id || ':webhook', p.id || ':chat', p.id || ':mail')`;

/**
 * Forgets deliveries that have had their time, and all that is kept of projects that are gone, which are noted here alone; piece by
 * piece, and safe to repeat.
 */
export class RetentionStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * Nothing stays of deleted projects, and nothing new comes. Noted first, under the lock that `Queue` shares: who is about to leave a
   * message is waited for, and it goes with the rest. Receivers go last, since they say whose the deliveries are.
   */
  async deleteProjects(projectIds: readonly string[]): Promise<void> {
    for (const projectId of projectIds) {
      await inTransaction(this.#pool, async (client) => {
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [projectId]);
        await client.query('INSERT INTO deleted_projects (project_id) VALUES ($1) ON CONFLICT DO NOTHING', [projectId]);
      });
      const workspaces = await this.#pool.query<{ workspace_id: string }>(
        `SELECT DISTINCT r.workspace_id FROM (SELECT $1::text AS id) p JOIN receivers r ON ${RECEIVERS_OF}`,
        [projectId],
      );
      for (const { workspace_id: workspaceId } of workspaces.rows)
        await this.#deleteInBatches('workspace_id = $1 AND project_id = $2', [workspaceId, projectId]);
      await this.#pool.query(`DELETE FROM receivers r USING (SELECT $1::text AS id) p WHERE ${RECEIVERS_OF}`, [
        projectId,
      ]);
    }
  }

  async #deleteInBatches(where: string, values: readonly unknown[]): Promise<void> {
    while ((await this.#deleteDeliveries(`SELECT id FROM deliveries WHERE ${where} LIMIT ${MAX_ROWS}`, values)) > 0);
  }

  /**
   * Forgets some of the deliveries that came to their end and were told before then: ids sort by creation, so that the oldest are at the
   * beginning of the primary key. Those still to be sent stay, and are passed by.
   * @param after where to go on; empty: at the beginning
   * @returns where to go on, or undefined where no more are that old
   */
  async deleteEnded(before: Date, after: string): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ last: string | null }>(
      `WITH oldest AS (SELECT id, created_at, next_at FROM deliveries WHERE id > $2 ORDER BY id LIMIT ${MAX_ROWS}),
         gone AS (
           DELETE FROM deliveries WHERE id = ANY(ARRAY(SELECT id FROM oldest WHERE created_at < $1 AND next_at IS NULL)) AND next_at IS NULL
           RETURNING id),
         logs AS (DELETE FROM attempts USING gone WHERE delivery_id = gone.id)
       SELECT max(id) AS last FROM oldest WHERE created_at < $1`,
      [before, after],
    );
    return rows[0]?.last ?? undefined;
  }

  /** Forgets that projects are gone of which nothing can be heard any more. */
  async deleteProjectMarks(): Promise<void> {
    await this.#pool.query(`DELETE FROM deleted_projects WHERE deleted_at < now() - interval '${MARK_DAYS} days'`);
  }

  /** Forgets some receivers of jobs that have nothing to be told any more. @returns whether there may be more */
  async deleteJobReceivers(before: Date): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'forget-job-receivers',
      text: `
        DELETE FROM receivers WHERE id IN (
          SELECT r.id FROM receivers r
          WHERE r.project_id = '' AND r.created_at < $1
            AND NOT EXISTS (SELECT FROM watches w WHERE w.run_id = r.id AND w.due IS NOT NULL)
            AND NOT EXISTS (SELECT FROM deliveries d WHERE d.workspace_id = r.workspace_id AND d.run_id = r.id)
          LIMIT ${MAX_ROWS})`,
      values: [before],
    });
    return (rowCount ?? 0) > 0;
  }

  /** Drops deliveries with their attempts. @returns how many */
  async #deleteDeliveries(ids: string, values: readonly unknown[]): Promise<number> {
    const { rows } = await this.#pool.query<{ n: number }>(
      `WITH gone AS (DELETE FROM deliveries WHERE id = ANY(ARRAY(${ids})) RETURNING id),
         logs AS (DELETE FROM attempts USING gone WHERE delivery_id = gone.id)
       SELECT count(*)::int AS n FROM gone`,
      [...values],
    );
    return rows[0]?.n ?? 0;
  }
}
