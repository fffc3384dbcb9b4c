import { facts } from '@tidemark/contracts';
import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import { outboxColumns, outgoing } from '@tidemark/service';
import type pg from 'pg';

const DISCARD_AT_ONCE = 10_000;
/** Days a deleted project is remembered, lest a run that was on its way outlives it. */
const REMEMBER_DAYS = 30;

/** A run nobody is to have any more: one without a project has had its time, or its project is deleted. */
const NOT_KEPT = `(r.project_id IS NULL OR EXISTS (SELECT FROM deleted_projects d WHERE d.id = r.project_id))`;

/** No run under way starts from what this one read. */
const NOT_BUILT_ON = 'NOT EXISTS (SELECT FROM runs n WHERE NOT n.tidied AND n.earlier_no = r.no)';

/** What is thrown away of runs. */
export class DiscardStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Notes that projects are deleted: nothing of them starts any more. Safe to repeat. */
  async noteDeleted(projects: readonly ProjectDeleted[]): Promise<void> {
    await this.#pool.query({
      name: 'note-deleted-projects',
      text: `INSERT INTO deleted_projects (id, workspace_id) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING`,
      values: [projects.map(({ projectId }) => projectId), projects.map(({ workspaceId }) => workspaceId)],
    });
    await this.cancelOrphans();
  }

  /** Calls off runs whose project is deleted. */
  async cancelOrphans(): Promise<void> {
    await this.#pool.query({
      name: 'cancel-orphans',
      text: `
        UPDATE runs r SET status = 'cancelled', stop = 'cancelled', finished_at = now(), lease_until = now(), owner = NULL
        FROM deleted_projects d WHERE d.id = r.project_id AND NOT r.tidied AND r.status IN ('queued', 'running')`,
    });
    await this.#pool.query(`
      DELETE FROM deleted_projects d WHERE deleted_at < now() - make_interval(days => ${REMEMBER_DAYS})
        AND NOT EXISTS (SELECT FROM runs r WHERE r.project_id = d.id)`);
  }

  /**
   * Discards one run that is not kept, with its frontier, and tells it: one without a project that ended long enough ago, or any of a
   * deleted project; not one that a run under way still builds on. @returns whether there was one
   */
  async discardOld(afterHours: number): Promise<boolean> {
    const { rows } = await this.#pool.query<{ no: string; id: string; workspace_id: string }>({
      name: 'find-old-run',
      text: `
        (SELECT r.no, r.id, r.workspace_id FROM deleted_projects d JOIN runs r ON r.project_id = d.id
         WHERE r.tidied AND ${NOT_BUILT_ON} LIMIT 1)
        UNION ALL
        (SELECT r.no, r.id, r.workspace_id FROM runs r
         WHERE r.project_id IS NULL AND r.tidied AND r.finished_at < now() - make_interval(hours => $1) AND ${NOT_BUILT_ON}
         ORDER BY r.finished_at LIMIT 1)
        LIMIT 1`,
      values: [afterHours],
    });
    const [run] = rows;
    if (run === undefined) return false;
    for (let left = DISCARD_AT_ONCE; left === DISCARD_AT_ONCE; ) {
      const { rowCount } = await this.#pool.query({
        name: 'discard-pages',
        text: 'DELETE FROM frontier WHERE run_no = $1 AND url_key IN (SELECT url_key FROM frontier WHERE run_no = $1 LIMIT $2)',
        values: [run.no, DISCARD_AT_ONCE],
      });
      left = rowCount ?? 0;
    }
    await this.#discard(run.no, { runId: run.id, workspaceId: run.workspace_id, neededBy: '' });
    return true;
  }

  /** The run goes and is told in one statement, so that what others keep of it goes too, whoever dies. The outbox's sweep sends it. */
  async #discard(no: string, run: RunDiscarded): Promise<void> {
    const told = outboxColumns([outgoing(facts.runDiscarded, `discarded:${run.runId}`, run)], facts);
    await this.#pool.query({
      name: 'discard-run',
      text: `
        WITH gone AS (DELETE FROM runs r WHERE no = $1 AND ${NOT_KEPT} RETURNING no)
        INSERT INTO outbox (id, subject, payload, trace, awaiting)
        SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
        FROM gone, unnest($2::text[], $3::text[], $4::bytea[], $5::jsonb[], $6::text[]) AS o(id, subject, payload, trace, awaiting)
        ON CONFLICT DO NOTHING`,
      values: [no, told.ids, told.subjects, told.payloads, told.traces, told.awaiting],
    });
  }
}
