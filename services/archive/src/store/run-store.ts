import { randomUUID } from 'node:crypto';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue } from '@tidemark/leased-work';
import { retryWhileDatabaseUnavailable } from '@tidemark/service';
import { changeRows, column, nullable, nullableJsonOf, type Params, type RowOf, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import { type ListState, OPEN_STATES, READABLE_STATES } from '../domain/list-state.ts';
import type { ListedRun, RunSummary } from '../domain/listed-run.ts';
import { canMake, isInState, stateAfter } from './list-transitions.ts';
import { schema, tables } from './tables.ts';

const COLUMNS = {
  no: column('int8'),
  id: column('text'),
  workspace_id: column('text'),
  project_id: column('text'),
  status: column('text'),
  ended_at: nullable('timestamptz'),
  total: nullable('int4'),
  listed: column('int4'),
  provisional: column('int4'),
  checked: column('int4'),
  sketched: column('int4'),
  state: stateOf<ListState>(),
  summary: nullableJsonOf<RunSummary>(),
  stuck_since: nullable('timestamptz'),
  attempts: column('int4'),
  interrupted: column('int4'),
};
type RunRow = RowOf<typeof COLUMNS>;

/** Progress of a run's list. Fields that are left out are not changed. */
export interface Progress {
  readonly listed?: number;
  /** Pages up to this number were listed without their final details. */
  readonly provisional?: number;
  readonly checked?: number;
  readonly sketched?: number;
  /** Every page is listed or was given up: the transition `finishListing`. */
  readonly isListedToEnd?: boolean;
  readonly isStuck?: boolean;
}

const QUEUE = new LeasedQueue({
  schema,
  name: 'run',
  table: 'runs',
  key: ['no'],
  times: { kind: 'shared', at: 'due', whenNull: 'never_due' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  interruptions: 'interrupted',
  leaseSeconds: 60,
  policy: ATTEMPT_POLICIES['archive.runs'],
  columns: COLUMNS,
});
const POSTPONE = QUEUE.retry(
  'postpone-run',
  ({ madeProgress }: Params<{ readonly madeProgress: boolean }>) =>
    sql`attempts = CASE WHEN ${madeProgress}::boolean THEN 0 ELSE attempts END`,
);
const REST = QUEUE.end('rest-run', sql`attempts = 0`);

/** Ended runs: the values at each position of the lists. */
interface FinishedLists {
  readonly ids: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly projectIds: readonly string[];
  readonly triggers: readonly string[];
  readonly statuses: readonly string[];
  readonly totals: readonly number[];
}

const RECORD_FINISHED = schema.prepareText(
  'note-finished',
  {},
  ({ ids, workspaceIds, projectIds, triggers, statuses, totals }: Params<FinishedLists>) => sql`
    INSERT INTO runs (id, workspace_id, project_id, trigger, status, total, ended_at, due)
    SELECT r.id, r.workspace_id, r.project_id, r.trigger, r.status, r.total, now(), now()
    FROM unnest(${ids}::text[], ${workspaceIds}::text[], ${projectIds}::text[], ${triggers}::text[], ${statuses}::text[], ${totals}::int[])
      AS r(id, workspace_id, project_id, trigger, status, total)
    WHERE NOT EXISTS (SELECT FROM discarded_runs d WHERE d.job_id = r.id AND d.workspace_id = r.workspace_id)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, trigger = excluded.trigger, total = excluded.total, due = now(), attempts = 0,
        ended_at = coalesce(runs.ended_at, now()), owner = NULL,
        stuck_since = CASE WHEN runs.status = excluded.status THEN runs.stuck_since END
      WHERE ${isInState(OPEN_STATES, 'runs.state')} AND runs.workspace_id = excluded.workspace_id`,
);

interface RunKey {
  readonly workspaceId: string;
  readonly id: string;
}

const FIND = schema.prepare('find-run', ({ workspaceId, id }: Params<RunKey>) =>
  tables
    .selectFrom('runs')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where(isInState(READABLE_STATES)),
);

const IS_DISCARDED = schema.prepareText(
  'is-run-discarded',
  {},
  ({ workspaceId, id }: Params<RunKey>) => sql`
    SELECT FROM discarded_runs WHERE job_id = ${id} AND workspace_id = ${workspaceId}
    UNION ALL SELECT FROM runs WHERE id = ${id} AND workspace_id = ${workspaceId} AND state = 'discarded' LIMIT 1`,
);

interface AdvanceValues {
  readonly no: string;
  readonly listed: number;
  readonly provisional: number;
  readonly checked: number;
  readonly sketched: number;
  readonly isListedToEnd: boolean;
  readonly isStuck: boolean | undefined;
}

const ADVANCE = schema.prepareText(
  'advance-run',
  COLUMNS,
  ({ no, listed, provisional, checked, sketched, isListedToEnd, isStuck }: Params<AdvanceValues>) => sql`
    UPDATE runs SET listed = greatest(listed, ${listed}), provisional = greatest(provisional, ${provisional}),
      checked = greatest(checked, ${checked}), sketched = greatest(sketched, ${sketched}), interrupted = 0,
      state = CASE WHEN ${isListedToEnd} AND ${canMake('finishListing')} THEN ${stateAfter('finishListing')} ELSE state END,
      stuck_since = CASE ${isStuck}::boolean WHEN true THEN coalesce(stuck_since, now()) WHEN false THEN NULL ELSE stuck_since END
    WHERE no = ${no} AND ${isInState(READABLE_STATES)} RETURNING ${sql.join(Object.keys(COLUMNS).map((name) => sql.ref(name)))}`,
);

/** Stores the runs of projects and the progress of their lists. */
export class RunStore {
  readonly policy = QUEUE.policy;
  readonly #pool: pg.Pool;
  /** Fencing token of this process. */
  readonly #owner = randomUUID();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Records ended runs, which makes them due and resets the wait for missing rows. Safe to repeat. A discarded run stays discarded. */
  async recordFinished(runs: readonly RunFinished[]): Promise<void> {
    const unique = [...new Map(runs.map((run) => [run.runId, run])).values()];
    const lists = {
      ids: unique.map(({ runId }) => runId),
      workspaceIds: unique.map(({ workspaceId }) => workspaceId),
      projectIds: unique.map(({ projectId }) => projectId),
      triggers: unique.map(({ trigger }) => trigger),
      statuses: unique.map(({ status }) => status),
      totals: unique.map(({ pages }) => pages),
    };
    await retryWhileDatabaseUnavailable(() => RECORD_FINISHED.change(this.#pool, lists), 20_000);
  }

  /** Returns a run of the workspace that is not discarded. */
  async find(workspaceId: string, id: string): Promise<ListedRun | undefined> {
    const row = await FIND.row(this.#pool, { workspaceId, id });
    return row && toListed(row);
  }

  /** Returns whether a run of the workspace is discarded, or is recorded as to be discarded. */
  isDiscarded(workspaceId: string, id: string): Promise<boolean> {
    return IS_DISCARDED.changesRow(this.#pool, { workspaceId, id });
  }

  /** Claims one due run until its lease expires. */
  async claim(): Promise<ListedRun | undefined> {
    const [row] = await QUEUE.claim(this.#pool, { owner: this.#owner, limit: 1 });
    return row && toListed(row);
  }

  /** Stores the progress of a run. It only grows. @returns the changed run; undefined if it was discarded */
  async advance(no: string, progress: Progress): Promise<ListedRun | undefined> {
    const { listed = 0, provisional = 0, checked = 0, sketched = 0, isListedToEnd = false, isStuck } = progress;
    const row = await ADVANCE.row(this.#pool, {
      no,
      listed,
      provisional,
      checked,
      sketched,
      isListedToEnd,
      isStuck,
    });
    return row && toListed(row);
  }

  /** Renews the claim on a run. @returns false if it was lost */
  async hold(no: string): Promise<boolean> {
    return (await QUEUE.renew(this.#pool, { owner: this.#owner, keys: [no] })).has(no);
  }

  /** Releases a claimed run until it is due again; `madeProgress` resets its attempts. */
  async postpone(no: string, seconds: number, madeProgress: boolean): Promise<void> {
    await POSTPONE.changesRow(this.#pool, { no, owner: this.#owner, seconds, madeProgress });
  }

  /** Makes the list of a run final and stores its summary. @returns false if pages lack their final details, or the run is in another state */
  async settle(no: string, summary: RunSummary): Promise<boolean> {
    const settled = await changeRows(
      this.#pool,
      tables
        .updateTable('runs')
        .set({ state: stateAfter('settle'), summary: JSON.stringify(summary) })
        .where('no', '=', no)
        .where(canMake('settle'))
        .whereRef('checked', '>=', 'provisional'),
    );
    return settled > 0;
  }

  /** Releases a claimed run that has no work left. */
  async rest(no: string): Promise<void> {
    await REST.changesRow(this.#pool, { no, owner: this.#owner });
  }
}

const toListed = (row: RunRow): ListedRun => ({
  no: row.no,
  id: row.id,
  workspaceId: row.workspace_id,
  projectId: row.project_id,
  status: row.status,
  endedAt: row.ended_at ?? undefined,
  total: row.total ?? undefined,
  listed: row.listed,
  provisional: row.provisional,
  checked: row.checked,
  sketched: row.sketched,
  state: row.state,
  summary: row.summary ?? undefined,
  stuckSince: row.stuck_since ?? undefined,
  attempts: row.attempts,
  interruptions: row.interrupted,
});
