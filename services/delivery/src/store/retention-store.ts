import { inTransaction } from '@tidemark/service';
import {
  changeRows,
  lockUntilCommit,
  nullable,
  type Params,
  type RawBuilder,
  selectRow,
  selectRows,
  sql,
} from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from './tables.ts';

/** Rows per statement, which has half a minute. */
const MAX_ROWS = 2_000;
/** Retention of marks of deleted projects, days: events of their runs may arrive late. */
const MARK_DAYS = 7;

/** The ids of the receivers of a project. */
const receiversOf = (projectId: string) => ['webhook', 'chat', 'mail'].map((kind) => `${projectId}:${kind}`);

const DELETE_ENDED = schema.prepareText(
  'delete-ended-deliveries',
  { last: nullable('text') },
  ({ before, after }: Params<{ readonly before: Date; readonly after: string }>) => sql`
    WITH oldest AS (
      SELECT id, created_at, next_at FROM deliveries WHERE id > ${after} ORDER BY id LIMIT ${sql.lit(MAX_ROWS)}
    ), gone AS (
      DELETE FROM deliveries WHERE id = ANY(ARRAY(SELECT id FROM oldest WHERE created_at < ${before} AND next_at IS NULL)) AND next_at IS NULL
      RETURNING id
    ), logs AS (DELETE FROM attempts USING gone WHERE delivery_id = gone.id)
    SELECT max(id) AS last FROM oldest WHERE created_at < ${before}`,
);

const DELETE_JOB_RECEIVERS = schema.prepareText(
  'delete-job-receivers',
  {},
  ({ before }: Params<{ readonly before: Date }>) => sql`
    DELETE FROM receivers WHERE id = ANY (ARRAY(
      SELECT r.id FROM receivers r
      WHERE r.project_id = '' AND r.created_at < ${before}
        AND NOT EXISTS (SELECT FROM watches w WHERE w.run_id = r.id AND w.due IS NOT NULL)
        AND NOT EXISTS (SELECT FROM deliveries d WHERE d.workspace_id = r.workspace_id AND d.run_id = r.id)
      LIMIT ${sql.lit(MAX_ROWS)}))`,
);

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
        await lockUntilCommit(client, [projectId]);
        await changeRows(
          client,
          tables
            .insertInto('deleted_projects')
            .values({ project_id: projectId })
            .onConflict((conflict) => conflict.doNothing()),
        );
      });
      const ids = receiversOf(projectId);
      const workspaces = await selectRows(
        this.#pool,
        tables.selectFrom('receivers').select('workspace_id as workspaceId').distinct().where('id', 'in', ids),
      );
      for (const { workspaceId } of workspaces)
        await this.#deleteInBatches(sql`workspace_id = ${workspaceId} AND project_id = ${projectId}`);
      await changeRows(this.#pool, tables.deleteFrom('receivers').where('id', 'in', ids));
    }
  }

  /** Deletes the deliveries of a deleted workspace with their attempts. Safe to repeat. */
  async deleteDeliveriesOf(workspaceId: string): Promise<void> {
    await this.#deleteInBatches(sql`workspace_id = ${workspaceId}`);
  }

  /** Deletes deliveries with their attempts. */
  async #deleteInBatches(where: RawBuilder<unknown>): Promise<void> {
    const batch = sql<{ n: number }>`
      WITH gone AS (
        DELETE FROM deliveries WHERE id = ANY(ARRAY(SELECT id FROM deliveries WHERE ${where} LIMIT ${sql.lit(MAX_ROWS)})) RETURNING id
      ), logs AS (DELETE FROM attempts USING gone WHERE delivery_id = gone.id)
      SELECT count(*)::int AS n FROM gone`;
    while (((await selectRow(this.#pool, batch))?.n ?? 0) > 0);
  }

  /**
   * Deletes a batch of ended deliveries that were created before then. Ids sort by creation, so that the oldest are first in the primary key.
   * Deliveries still to be sent are skipped.
   * @param after last id of the previous batch; empty: start at the oldest
   * @returns last id of this batch; undefined where no more are that old
   */
  async deleteEnded(before: Date, after: string): Promise<string | undefined> {
    return (await DELETE_ENDED.row(this.#pool, { before, after }))?.last ?? undefined;
  }

  /** Deletes marks of projects whose late events can no longer arrive. */
  async deleteProjectMarks(): Promise<void> {
    await changeRows(
      this.#pool,
      tables
        .deleteFrom('deleted_projects')
        .where('deleted_at', '<', sql<Date>`now() - make_interval(days => ${sql.lit(MARK_DAYS)})`),
    );
  }

  /** Deletes a batch of job receivers without pending messages. @returns whether there may be more */
  deleteJobReceivers(before: Date): Promise<boolean> {
    return DELETE_JOB_RECEIVERS.changesRow(this.#pool, { before });
  }
}
