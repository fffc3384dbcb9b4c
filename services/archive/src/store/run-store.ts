import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';
import type { ListedRun, RunSummary } from '../domain/listed-run.ts';

interface RunRow {
  readonly no: string;
  readonly id: string;
  readonly workspace_id: string;
  readonly project_id: string;
  readonly status: string;
  readonly ended_at: Date | null;
  readonly total: number | null;
  readonly listed: number;
  readonly provisional: number;
  readonly checked: number;
  readonly sketched: number;
  readonly complete: boolean;
  readonly settled: boolean;
  readonly summary: RunSummary | null;
  readonly stuck_since: Date | null;
  readonly attempts: number;
  readonly interrupted: number;
}

/** A run whose worker died is taken by another after this. */
const CLAIM_SECONDS = 60;

/** How far a run has come; what is left out stays. */
export interface Progress {
  readonly listed?: number;
  /** Pages up to here came without what is known once the run has ended. */
  readonly provisional?: number;
  readonly checked?: number;
  readonly sketched?: number;
  readonly complete?: boolean;
  readonly isStuck?: boolean;
}

/** Runs of projects, and how far what they read is listed. */
export class RunStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Records ended runs, which makes them due and resets the wait for missing rows. Safe to repeat. A discarded run stays discarded. */
  async noteFinished(runs: readonly RunFinished[]): Promise<void> {
    const text = `
      INSERT INTO runs (id, workspace_id, project_id, trigger, status, total, ended_at, due)
      SELECT r.id, r.workspace_id, r.project_id, r.trigger, r.status, r.total, now(), now()
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[])
        AS r(id, workspace_id, project_id, trigger, status, total)
      WHERE NOT EXISTS (SELECT FROM discarded_runs d WHERE d.job_id = r.id AND d.workspace_id = r.workspace_id)
      ON CONFLICT (id) DO UPDATE SET status = excluded.status, trigger = excluded.trigger, total = excluded.total, due = now(), attempts = 0,
          ended_at = coalesce(runs.ended_at, now()), is_waiting = false, is_claimed = false,
          stuck_since = CASE WHEN runs.status = excluded.status THEN runs.stuck_since END
        WHERE NOT runs.settled AND NOT runs.discarded AND runs.workspace_id = excluded.workspace_id`;
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

  /** A run of the workspace that is not discarded. */
  find(workspaceId: string, id: string): Promise<ListedRun | undefined> {
    const text = 'SELECT * FROM runs WHERE id = $2 AND workspace_id = $1 AND NOT discarded';
    return this.#one('find-run', text, [workspaceId, id]);
  }

  /** Whether a run of the workspace is discarded, or about to be. */
  async isDiscarded(workspaceId: string, id: string): Promise<boolean> {
    const { rows } = await this.#pool.query({
      name: 'is-run-discarded',
      text: `
        SELECT FROM discarded_runs WHERE job_id = $2 AND workspace_id = $1
        UNION ALL SELECT FROM runs WHERE id = $2 AND workspace_id = $1 AND discarded LIMIT 1`,
      values: [workspaceId, id],
    });
    return rows.length > 0;
  }

  /** Claims one run that is due, for a while. */
  claim(): Promise<ListedRun | undefined> {
    const text = `
      UPDATE runs SET due = now() + make_interval(secs => ${CLAIM_SECONDS}), attempts = attempts + 1, is_waiting = false,
        interrupted = CASE WHEN is_claimed THEN interrupted + 1 ELSE 0 END, is_claimed = true WHERE no = (
        SELECT no FROM runs WHERE due <= now() ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING *`;
    return this.#one('claim-run', text, []);
  }

  /** Notes how far a run has come. @returns the run as it stands, undefined where it is discarded by now */
  advance(no: string, progress: Progress): Promise<ListedRun | undefined> {
    const { listed = 0, provisional = 0, checked = 0, sketched = 0, complete = false, isStuck } = progress;
    const text = `
      UPDATE runs SET listed = greatest(listed, $2), provisional = greatest(provisional, $3), checked = greatest(checked, $4),
        sketched = greatest(sketched, $5), complete = complete OR $6, interrupted = 0,
        stuck_since = CASE $7::boolean WHEN true THEN coalesce(stuck_since, now()) WHEN false THEN NULL ELSE stuck_since END
      WHERE no = $1 AND NOT discarded RETURNING *`;
    return this.#one('advance-run', text, [no, listed, provisional, checked, sketched, complete, isStuck ?? null]);
  }

  /** Renews the claim on a run. */
  async hold(no: string): Promise<void> {
    await this.#pool.query({
      name: 'hold-run',
      text: `UPDATE runs SET due = now() + make_interval(secs => ${CLAIM_SECONDS}) WHERE no = $1 AND due IS NOT NULL`,
      values: [no],
    });
  }

  /** Releases a claimed run until it is due again; `madeProgress` resets its attempts. */
  async postpone(no: string, seconds: number, madeProgress: boolean): Promise<void> {
    await this.#pool.query({
      name: 'postpone-run',
      text: `
        UPDATE runs SET due = now() + make_interval(secs => $2), is_waiting = true, is_claimed = false,
          attempts = CASE WHEN $3 THEN 0 ELSE attempts END
        WHERE no = $1 AND due IS NOT NULL`,
      values: [no, seconds, madeProgress],
    });
  }

  /** Nothing of the run's list changes any more. @returns false where pages still lack what is known of a run that has ended */
  async settle(no: string, summary: RunSummary): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'settle-run',
      text: 'UPDATE runs SET settled = true, summary = $2 WHERE no = $1 AND complete AND checked >= provisional',
      values: [no, JSON.stringify(summary)],
    });
    return (rowCount ?? 0) > 0;
  }

  /** There is nothing more to do for a run. */
  async rest(no: string): Promise<void> {
    await this.#pool.query({
      name: 'rest-run',
      text: 'UPDATE runs SET due = NULL, attempts = 0, is_claimed = false WHERE no = $1',
      values: [no],
    });
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
  complete: row.complete,
  settled: row.settled,
  summary: row.summary ?? undefined,
  stuckSince: row.stuck_since ?? undefined,
  attempts: row.attempts,
  interrupted: row.interrupted,
});
