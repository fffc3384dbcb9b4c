import { events } from '@tidemark/contracts';
import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import {
  insertEvents,
  inTransaction,
  type OutboxColumns,
  type OutgoingEvent,
  outboxColumns,
  outgoingEvent,
} from '@tidemark/service';
import { changeRows, column, literals, type Params, type RowOf, sql } from '@tidemark/sql';
import type pg from 'pg';
import { EPHEMERAL_HOURS, RECRAWL } from '../../domain/run/run.ts';
import { OPEN_STATES, RUN_TRANSITIONS } from '../../domain/run/run-state.ts';
import { logWords } from '../runs/run-log.ts';
import { schema, tables } from '../tables.ts';

const DISCARD_BATCH = 10_000;
/** Days the id of a deleted project is kept, so that a run started concurrently is discarded too. */
const KEEP_DELETED_DAYS = 30;

const IS_DELETED = sql`EXISTS (SELECT FROM deleted_projects d WHERE d.id = r.project_id)`;
const IS_EXPIRED = sql`r.project_id IS NULL AND r.finished_at < now() - make_interval(hours => ${sql.lit(EPHEMERAL_HOURS)})`;
/** No unfinished run has this one as its earlier run. */
const NOT_NEEDED = sql`NOT EXISTS (SELECT FROM runs n WHERE NOT n.cleaned_up AND n.earlier_no = r.no)`;

const CLAIMED = { no: column('int8'), id: column('text'), workspace_id: column('text'), needed_by: column('text') };
type Claimed = RowOf<typeof CLAIMED>;

const NOTE_DELETED = schema.prepareText(
  'note-deleted-projects',
  {},
  ({
    projectIds,
    workspaceIds,
  }: Params<{ readonly projectIds: readonly string[]; readonly workspaceIds: readonly string[] }>) =>
    sql`INSERT INTO deleted_projects (id, workspace_id) SELECT * FROM unnest(${projectIds}::text[], ${workspaceIds}::text[]) ON CONFLICT DO NOTHING`,
);

const CANCEL_RUNS = schema.prepareText(
  'cancel-runs-of-deleted-projects',
  {},
  () => sql`
    WITH moved AS (
      UPDATE runs r SET status = ${sql.lit(RUN_TRANSITIONS.cancel.to)}, stop = 'cancelled', finished_at = now(), lease_until = now(), owner = NULL
      FROM deleted_projects d WHERE d.id = r.project_id AND NOT r.cleaned_up AND r.status IN (${literals(OPEN_STATES)}) RETURNING r.no
    ) ${logWords('moved', 'cancelled', 'its project was deleted')}`,
);

const EXPIRE = schema.prepareText(
  'expire-runs',
  {},
  ({
    projectId,
    workspaceId,
    before,
  }: Params<{ readonly projectId: string; readonly workspaceId: string; readonly before: Date }>) => sql`
  WITH project_runs AS (
    SELECT no, cleaned_up, finished_at, trigger <> ${sql.lit(RECRAWL)} AND cleaned_up AS is_full,
  max(no) FILTER (WHERE has_coverage)
    OVER (ORDER BY no ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS compared_with,
  has_coverage
    FROM runs WHERE project_id = ${projectId} AND workspace_id = ${workspaceId} AND NOT expired AND NOT discarding
  ), newest AS (
    SELECT max(no) FILTER (WHERE is_full) AS of_all, max(no) FILTER (WHERE has_coverage) AS present FROM project_runs
  ), kept AS (
    SELECT o.no, o.compared_with FROM project_runs o, newest n
    WHERE NOT o.cleaned_up OR o.finished_at >= ${before} OR o.no = n.of_all OR o.no = n.present
  )
  UPDATE runs r SET expired = true FROM project_runs o
  WHERE r.no = o.no AND r.cleaned_up AND NOT EXISTS (SELECT FROM kept k WHERE k.no = o.no OR k.compared_with = o.no) AND ${NOT_NEEDED}`,
);

const EXPIRE_WORKSPACE = schema.prepareText(
  'expire-runs-of-workspace',
  {},
  ({ workspaceId }: Params<{ readonly workspaceId: string }>) =>
    sql`UPDATE runs SET expired = true WHERE workspace_id = ${workspaceId} AND cleaned_up AND NOT expired AND NOT discarding`,
);

const DISCARD_PAGES = schema.prepareText(
  'discard-pages',
  {},
  ({ runNo, limit }: Params<{ readonly runNo: bigint | string; readonly limit: number }>) => sql`
    DELETE FROM frontier WHERE run_no = ${runNo} AND url_key = ANY (ARRAY(
      SELECT url_key FROM frontier WHERE run_no = ${runNo} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

const STARTED = schema.prepareText(
  'begun-discards',
  CLAIMED,
  () => sql`SELECT no, id, workspace_id, needed_by FROM runs WHERE discarding LIMIT 1`,
);

const DELETE_OLD_MARKS = schema.prepareText(
  'delete-old-project-marks',
  {},
  () => sql`
  DELETE FROM deleted_projects d WHERE deleted_at < now() - make_interval(days => ${sql.lit(KEEP_DELETED_DAYS)})
    AND NOT EXISTS (SELECT FROM runs r WHERE r.project_id = d.id)`,
);

const FIND = schema.prepareText(
  'find-old-run',
  { no: column('int8') },
  () => sql`
  SELECT no FROM runs WHERE no IN (
    (SELECT r.no FROM deleted_projects d JOIN runs r ON r.project_id = d.id WHERE r.cleaned_up AND ${NOT_NEEDED} LIMIT 1)
    UNION ALL
    (SELECT r.no FROM runs r WHERE r.cleaned_up AND ${IS_EXPIRED} AND ${NOT_NEEDED} ORDER BY r.finished_at LIMIT 1)
    UNION ALL
    (SELECT r.no FROM runs r WHERE r.expired AND ${NOT_NEEDED} ORDER BY r.no LIMIT 1)
  ) LIMIT 1 FOR UPDATE SKIP LOCKED`,
);

const CLAIM = schema.prepareText(
  'claim-old-run',
  CLAIMED,
  ({ runNo }: Params<{ readonly runNo: string }>) => sql`
  UPDATE runs r SET discarding = true, needed_by = CASE WHEN r.project_id IS NULL OR ${IS_DELETED} THEN '' ELSE coalesce((
    SELECT n.id FROM runs n WHERE n.project_id = r.project_id AND n.has_coverage AND NOT n.expired AND NOT n.discarding ORDER BY n.no DESC LIMIT 1), '') END
  WHERE r.no = ${runNo} AND r.cleaned_up AND NOT r.discarding AND (r.expired OR ${IS_DELETED} OR (${IS_EXPIRED})) AND ${NOT_NEEDED}
  RETURNING r.no, r.id, r.workspace_id, r.needed_by`,
);

interface DiscardValues extends OutboxColumns {
  readonly runNo: string;
}

const DISCARD = schema.prepareText(
  'discard-run',
  {},
  (values: Params<DiscardValues>) => sql`
    WITH gone AS (
        DELETE FROM runs WHERE no = ${values.runNo} AND discarding AND NOT EXISTS (SELECT FROM frontier WHERE run_no = ${values.runNo}) RETURNING no),
      details AS (DELETE FROM run_details WHERE run_no IN (SELECT no FROM gone)),
      lines AS (DELETE FROM run_log WHERE run_no IN (SELECT no FROM gone))
    ${insertEvents(values, 'gone')} ON CONFLICT DO NOTHING`,
);

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
    await NOTE_DELETED.change(this.#pool, {
      projectIds: projects.map(({ projectId }) => projectId),
      workspaceIds: projects.map(({ workspaceId }) => workspaceId),
    });
    await this.cancelRunsOfDeleted();
  }

  /** Cancels runs whose project is deleted. */
  async cancelRunsOfDeleted(): Promise<void> {
    await CANCEL_RUNS.change(this.#pool, {});
    await DELETE_OLD_MARKS.change(this.#pool, {});
  }

  /**
   * Marks the runs of a project that ended before a time as expired. The newest full run and the present one stay, and so does each run that a
   * remaining run is compared with. @returns how many are marked
   */
  async expire(workspaceId: string, projectId: string, before: Date): Promise<number> {
    const changed = await EXPIRE.change(this.#pool, { projectId, workspaceId, before });
    return changed;
  }

  /** Marks all ended runs of a deleted workspace as expired, and deletes its idempotency keys. Safe to repeat. */
  async expireWorkspace(workspaceId: string): Promise<void> {
    await EXPIRE_WORKSPACE.change(this.#pool, { workspaceId });
    await changeRows(this.#pool, tables.deleteFrom('idempotency_keys').where('workspace_id', '=', workspaceId));
  }

  /**
   * Discards one batch of a run to be deleted: an expired run without a project, a run of a deleted project, or a run its project has expired;
   * never one that an unfinished run builds on. The run is claimed first, so that no caller reads or adopts an incomplete run.
   * @returns whether there was anything to do
   */
  async discardBatch(): Promise<boolean> {
    const run = (await this.#findStarted()) ?? (await this.#claim());
    if (run === undefined) return false;
    const changed = await DISCARD_PAGES.change(this.#pool, { runNo: run.no, limit: DISCARD_BATCH });
    if (changed < DISCARD_BATCH) {
      await this.#discard(run.no, { runId: run.id, workspaceId: run.workspace_id, neededBy: run.needed_by });
    }
    return true;
  }

  async #findStarted(): Promise<Claimed | undefined> {
    return STARTED.row(this.#pool, {});
  }

  /** Locks a run, then checks it: a concurrent adoption or a new run based on it either committed before, or fails. */
  async #claim(): Promise<Claimed | undefined> {
    return inTransaction(this.#pool, async (client) => {
      const run = await FIND.row(client, {});
      return run === undefined ? undefined : CLAIM.row(client, { runNo: run.no });
    });
  }

  /**
   * Deletes the run and writes its event in one statement, so that other services delete their data too. Keeps the run while it has pages: another
   * instance that discards the same run may have been interrupted.
   */
  async #discard(no: string, run: RunDiscarded): Promise<void> {
    const event = outgoingEvent(events.runDiscarded, `discarded:${run.runId}`, run);
    const isDiscarded = await DISCARD.changesRow(this.#pool, { runNo: no, ...outboxColumns([event]) });
    if (isDiscarded) this.#sendEvents([event]);
  }
}
