import { inTransaction } from '@tidemark/service';
import type pg from 'pg';

/** Rows per statement, which has half a minute. */
const MAX_ROWS = 2_000;
/** Retention of marks of deleted projects, days: events of their runs may arrive late. */
const MARK_DAYS = 7;

const RECEIVERS_OF = `r.id IN (p.id || ':webhook', p.id || ':chat', p.id || ':mail')`;

/**
 * Deletes expired deliveries and the data of deleted projects, in batches. All methods are idempotent.
 */
export class RetentionStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * Deletes all data of these projects and rejects new data. The project is marked first, under the lock that `Queue` shares, so that messages
   * in open transactions are waited for and deleted as well. Receivers are deleted last: they hold the workspace of the deliveries.
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

  /** Deletes the deliveries of a deleted workspace with their attempts. Safe to repeat. */
  async deleteDeliveriesOf(workspaceId: string): Promise<void> {
    await this.#deleteInBatches('workspace_id = $1', [workspaceId]);
  }

  async #deleteInBatches(where: string, values: readonly unknown[]): Promise<void> {
    while ((await this.#deleteDeliveries(`SELECT id FROM deliveries WHERE ${where} LIMIT ${MAX_ROWS}`, values)) > 0);
  }

  /**
   * Deletes a batch of ended deliveries that were created before then. Ids sort by creation, so that the oldest are first in the primary key.
   * Deliveries still to be sent are skipped.
   * @param after last id of the previous batch; empty: start at the oldest
   * @returns last id of this batch; undefined where no more are that old
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

  /** Deletes marks of projects whose late events can no longer arrive. */
  async deleteProjectMarks(): Promise<void> {
    await this.#pool.query(`DELETE FROM deleted_projects WHERE deleted_at < now() - interval '${MARK_DAYS} days'`);
  }

  /** Deletes a batch of job receivers without pending messages. @returns whether there may be more */
  async deleteJobReceivers(before: Date): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'delete-job-receivers',
      text: `
        DELETE FROM receivers WHERE id = ANY (ARRAY(
          SELECT r.id FROM receivers r
          WHERE r.project_id = '' AND r.created_at < $1
            AND NOT EXISTS (SELECT FROM watches w WHERE w.run_id = r.id AND w.due IS NOT NULL)
            AND NOT EXISTS (SELECT FROM deliveries d WHERE d.workspace_id = r.workspace_id AND d.run_id = r.id)
          LIMIT ${MAX_ROWS}))`,
      values: [before],
    });
    return (rowCount ?? 0) > 0;
  }

  /** Deletes deliveries with their attempts. @returns their number */
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
