import { randomUUID } from 'node:crypto';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue } from '@tidemark/leased-work';
import { retryWhileDatabaseUnavailable } from '@tidemark/service';
import { column, nullable, nullableJsonOf, type Params, type RowOf, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import { type ListState, OPEN_STATES, READABLE_STATES } from '../domain/list-state.ts';
import type { ListedRun, RunSummary } from '../domain/listed-run.ts';
import { canMake, isInState, stateAfter } from './list-transitions.ts';
import { schema } from './tables.ts';

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
    const text = `
      INSERT INTO runs (id, workspace_id, project_id, trigger, status, total, ended_at, due)
      SELECT r.id, r.workspace_id, r.project_id, r.trigger, r.status, r.total, now(), now()
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[])
        AS r(id, workspace_id, project_id, trigger, status, total)
      WHERE NOT EXISTS (SELECT FROM discarded_runs d WHERE d.job_id = r.id AND d.workspace_id = r.workspace_id)
      ON CONFLICT (id) DO UPDATE SET status = excluded.status, trigger = excluded.trigger, total = excluded.total, due = now(), attempts = 0,
          ended_at = coalesce(runs.ended_at, now()), owner = NULL,
          stuck_since = CASE WHEN runs.status = excluded.status THEN runs.stuck_since END
        WHERE ${isInState(OPEN_STATES, 'runs.state')} AND runs.workspace_id = excluded.workspace_id`;
    const unique = [...new Map(runs.map((run) => [run.runId, run])).values()];
    const values = [
      unique.map(({ runId }) => runId),
      unique.map(({ workspaceId }) => workspaceId),
      unique.map(({ projectId }) => projectId),
      unique.map(({ trigger }) => trigger),
      unique.map(({ status }) => status),
      unique.map(({ pages }) => pages),
    ];
    await retryWhileDatabaseUnavailable(() => this.#pool.query({ name: 'note-finished', text, values }), 20_000);
  }

  /** Returns a run of the workspace that is not discarded. */
  find(workspaceId: string, id: string): Promise<ListedRun | undefined> {
    const text = `SELECT * FROM runs WHERE id = $2 AND workspace_id = $1 AND ${isInState(READABLE_STATES)}`;
    return this.#one('find-run', text, [workspaceId, id]);
  }

  /** Returns whether a run of the workspace is discarded, or is recorded as to be discarded. */
  async isDiscarded(workspaceId: string, id: string): Promise<boolean> {
    const { rows } = await this.#pool.query({
      name: 'is-run-discarded',
      text: `
        SELECT FROM discarded_runs WHERE job_id = $2 AND workspace_id = $1
        UNION ALL SELECT FROM runs WHERE id = $2 AND workspace_id = $1 AND state = 'discarded' LIMIT 1`,
      values: [workspaceId, id],
    });
    return rows.length > 0;
  }

  /** Claims one due run until its lease expires. */
  async claim(): Promise<ListedRun | undefined> {
    const [row] = await QUEUE.claim(this.#pool, { owner: this.#owner, limit: 1 });
    return row && toListed(row);
  }

  /** Stores the progress of a run. It only grows. @returns the changed run; undefined if it was discarded */
  advance(no: string, progress: Progress): Promise<ListedRun | undefined> {
    const { listed = 0, provisional = 0, checked = 0, sketched = 0, isListedToEnd = false, isStuck } = progress;
    const text = `
      UPDATE runs SET listed = greatest(listed, $2), provisional = greatest(provisional, $3), checked = greatest(checked, $4),
        sketched = greatest(sketched, $5), interrupted = 0,
        state = CASE WHEN $6 AND ${canMake('finishListing')} THEN ${stateAfter('finishListing')} ELSE state END,
        stuck_since = CASE $7::boolean WHEN true THEN coalesce(stuck_since, now()) WHEN false THEN NULL ELSE stuck_since END
      WHERE no = $1 AND ${isInState(READABLE_STATES)} RETURNING *`;
    return this.#one('advance-run', text, [no, listed, provisional, checked, sketched, isListedToEnd, isStuck ?? null]);
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
    const { rowCount } = await this.#pool.query({
      name: 'settle-run',
      text: `UPDATE runs SET state = ${stateAfter('settle')}, summary = $2 WHERE no = $1 AND ${canMake('settle')} AND checked >= provisional`,
      values: [no, JSON.stringify(summary)],
    });
    return (rowCount ?? 0) > 0;
  }

  /** Releases a claimed run that has no work left. */
  async rest(no: string): Promise<void> {
    await REST.changesRow(this.#pool, { no, owner: this.#owner });
  }

  async #one(name: string, text: string, values: unknown[]): Promise<ListedRun | undefined> {
    const { rows } = await this.#pool.query<RunRow>({ name, text, values });
    const [row] = rows;
    return row === undefined ? undefined : toListed(row);
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
