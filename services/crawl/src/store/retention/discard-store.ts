import { events } from '@tidemark/contracts';
import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import { inTransaction, type OutgoingEvent, outboxColumns, outgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import { EPHEMERAL_HOURS, RECRAWL } from '../../domain/run/run.ts';
import { logOf } from '../runs/run-log.ts';

const DISCARD_BATCH = 10_000;
/** Days the id of a deleted project is kept, so that a run started concurrently is discarded too. */
const KEEP_DELETED_DAYS = 30;

const IS_DELETED = 'EXISTS (SELECT FROM deleted_projects d WHERE d.id = r.project_id)';
const IS_EXPIRED = `r.project_id IS NULL AND r.finished_at < now() - make_interval(hours => ${EPHEMERAL_HOURS})`;
/** No unfinished run has this one as its earlier run. */
export const NOT_NEEDED = 'NOT EXISTS (SELECT FROM runs n WHERE NOT n.cleaned_up AND n.earlier_no = r.no)';

interface Claimed {
  readonly no: string;
  readonly id: string;
  readonly workspace_id: string;
  readonly needed_by: string;
}

/** Expires and discards runs. */
export class DiscardStore {
  readonly #pool: pg.Pool;
  readonly #sendEvents: (outgoing: readonly OutgoingEvent[]) => void;

  /** `sendEvents` sends events whose rows are committed. */
  constructor(pool: pg.Pool, sendEvents: (outgoing: readonly OutgoingEvent[]) => void) {
    this.#pool = pool;
    this.#sendEvents = sendEvents;
  }

  /** Stores that projects are deleted, which prevents new runs, and cancels their runs. Safe to repeat. */
  async recordDeleted(projects: readonly ProjectDeleted[]): Promise<void> {
    await this.#pool.query({
      name: 'note-deleted-projects',
      text: `INSERT INTO deleted_projects (id, workspace_id) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING`,
      values: [projects.map(({ projectId }) => projectId), projects.map(({ workspaceId }) => workspaceId)],
    });
    await this.cancelRunsOfDeleted();
  }

  /** Cancels runs whose project is deleted. */
  async cancelRunsOfDeleted(): Promise<void> {
    await this.#pool.query({
      name: 'cancel-runs-of-deleted-projects',
      text: `
        WITH moved AS (
          UPDATE runs r SET status = 'cancelled', stop = 'cancelled', finished_at = now(), lease_until = now(), owner = NULL
          FROM deleted_projects d WHERE d.id = r.project_id AND NOT r.cleaned_up AND r.status IN ('queued', 'running') RETURNING r.no
        ) ${logOf('moved', `'cancelled'`, `'its project was deleted'`)}`,
    });
    await this.#pool.query(`
      DELETE FROM deleted_projects d WHERE deleted_at < now() - make_interval(days => ${KEEP_DELETED_DAYS})
        AND NOT EXISTS (SELECT FROM runs r WHERE r.project_id = d.id)`);
  }

  /**
   * Marks the runs of a project that ended before a time as expired. The newest full run and the present one stay, and so does each run that a
   * remaining run is compared with. @returns how many are marked
   */
  async expire(workspaceId: string, projectId: string, before: Date): Promise<number> {
    const { rowCount } = await this.#pool.query({
      name: 'expire-runs',
      text: EXPIRE,
      values: [projectId, workspaceId, before],
    });
    return rowCount ?? 0;
  }

  /** Marks all ended runs of a deleted workspace as expired, and deletes its idempotency keys. Safe to repeat. */
  async expireWorkspace(workspaceId: string): Promise<void> {
    await this.#pool.query({
      name: 'expire-runs-of-workspace',
      text: 'UPDATE runs SET expired = true WHERE workspace_id = $1 AND cleaned_up AND NOT expired AND NOT discarding',
      values: [workspaceId],
    });
    await this.#pool.query('DELETE FROM idempotency_keys WHERE workspace_id = $1', [workspaceId]);
  }

  /**
   * Discards one batch of a run to be deleted: an expired run without a project, a run of a deleted project, or a run its project has expired;
   * never one that an unfinished run builds on. The run is claimed first, so that no caller reads or adopts an incomplete run.
   * @returns whether there was anything to do
   */
  async discardBatch(): Promise<boolean> {
    const run = (await this.#findStarted()) ?? (await this.#claim());
    if (run === undefined) return false;
    const { rowCount } = await this.#pool.query({
      name: 'discard-pages',
      // Several instances may discard the same run: each locks different rows.
      text: `
        DELETE FROM frontier WHERE run_no = $1 AND url_key = ANY (ARRAY(
          SELECT url_key FROM frontier WHERE run_no = $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      values: [run.no, DISCARD_BATCH],
    });
    if ((rowCount ?? 0) < DISCARD_BATCH) {
      await this.#discard(run.no, { runId: run.id, workspaceId: run.workspace_id, neededBy: run.needed_by });
    }
    return true;
  }

  async #findStarted(): Promise<Claimed | undefined> {
    const { rows } = await this.#pool.query<Claimed>({
      name: 'begun-discards',
      text: 'SELECT no, id, workspace_id, needed_by FROM runs WHERE discarding LIMIT 1',
    });
    return rows[0];
  }

  /** Locks a run, then checks it: a concurrent adoption or a new run based on it either committed before, or fails. */
  async #claim(): Promise<Claimed | undefined> {
    return inTransaction(this.#pool, async (client) => {
      const found = await client.query<{ no: string }>({ name: 'find-old-run', text: FIND });
      const [run] = found.rows;
      if (run === undefined) return undefined;
      const { rows } = await client.query<Claimed>({ name: 'claim-old-run', text: CLAIM, values: [run.no] });
      return rows[0];
    });
  }

  /**
   * Deletes the run and writes its event in one statement, so that other services delete their data too. Keeps the run while it has pages: another
   * instance that discards the same run may have been interrupted.
   */
  async #discard(no: string, run: RunDiscarded): Promise<void> {
    const event = outgoingEvent(events.runDiscarded, `discarded:${run.runId}`, run);
    const columns = outboxColumns([event]);
    const { rowCount } = await this.#pool.query({
      name: 'discard-run',
      text: `
        WITH gone AS (
            DELETE FROM runs WHERE no = $1 AND discarding AND NOT EXISTS (SELECT FROM frontier WHERE run_no = $1) RETURNING no),
          details AS (DELETE FROM run_details WHERE run_no IN (SELECT no FROM gone)),
          lines AS (DELETE FROM run_log WHERE run_no IN (SELECT no FROM gone))
        INSERT INTO outbox (id, subject, payload, trace, awaiting)
        SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
        FROM gone, unnest($2::text[], $3::text[], $4::bytea[], $5::jsonb[], $6::text[]) AS o(id, subject, payload, trace, awaiting)
        ON CONFLICT DO NOTHING`,
      values: [no, columns.ids, columns.subjects, columns.payloads, columns.traces, columns.awaiting],
    });
    if ((rowCount ?? 0) > 0) this.#sendEvents([event]);
  }
}

const FIND = `
  SELECT no FROM runs WHERE no IN (
    (SELECT r.no FROM deleted_projects d JOIN runs r ON r.project_id = d.id WHERE r.cleaned_up AND ${NOT_NEEDED} LIMIT 1)
    UNION ALL
    (SELECT r.no FROM runs r WHERE r.cleaned_up AND ${IS_EXPIRED} AND ${NOT_NEEDED} ORDER BY r.finished_at LIMIT 1)
    UNION ALL
    (SELECT r.no FROM runs r WHERE r.expired AND ${NOT_NEEDED} ORDER BY r.no LIMIT 1)
  ) LIMIT 1 FOR UPDATE SKIP LOCKED`;

const CLAIM = `
  UPDATE runs r SET discarding = true, needed_by = CASE WHEN r.project_id IS NULL OR ${IS_DELETED} THEN '' ELSE coalesce((
    SELECT n.id FROM runs n WHERE n.project_id = r.project_id AND n.has_coverage AND NOT n.expired AND NOT n.discarding ORDER BY n.no DESC LIMIT 1), '') END
  WHERE r.no = $1 AND r.cleaned_up AND NOT r.discarding AND (r.expired OR ${IS_DELETED} OR (${IS_EXPIRED})) AND ${NOT_NEEDED}
  RETURNING r.no, r.id, r.workspace_id, r.needed_by`;

const EXPIRE = `
  WITH project_runs AS (
    SELECT no, cleaned_up, finished_at, trigger <> '${RECRAWL}' AND cleaned_up AS is_full,
      max(no) FILTER (WHERE has_coverage)
        OVER (ORDER BY no ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS compared_with,
      has_coverage
    FROM runs WHERE project_id = $1 AND workspace_id = $2 AND NOT expired AND NOT discarding
  ), newest AS (
    SELECT max(no) FILTER (WHERE is_full) AS of_all, max(no) FILTER (WHERE has_coverage) AS present FROM project_runs
  ), kept AS (
    SELECT o.no, o.compared_with FROM project_runs o, newest n
    WHERE NOT o.cleaned_up OR o.finished_at >= $3 OR o.no = n.of_all OR o.no = n.present
  )
  UPDATE runs r SET expired = true FROM project_runs o
  WHERE r.no = o.no AND r.cleaned_up AND NOT EXISTS (SELECT FROM kept k WHERE k.no = o.no OR k.compared_with = o.no) AND ${NOT_NEEDED}`;
