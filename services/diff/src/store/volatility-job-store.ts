import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type pg from 'pg';
import type { PageReading } from '../domain/page-reading.ts';
import { RECAPTURE_MAX_AGE_SECONDS } from '../volatility/recapture-sample.ts';

const LEASE_SECONDS = 30;

/** Pages of a run that somebody fetches a second time: theirs until the lease they renew runs out. */
export interface VolatilityJob {
  readonly runId: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly pages: readonly PageReading[];
  readonly token: string;
  readonly attempts: number;
  /** It is long overdue. */
  readonly isOverdue: boolean;
}

/** Second fetches that are due: at most one for each project's first full run. */
export class VolatilityJobStore {
  readonly #pool: pg.Pool;
  readonly #newToken: () => string;

  constructor(pool: pg.Pool, newToken: () => string) {
    this.#pool = pool;
    this.#newToken = newToken;
  }

  /** Notes what is to be fetched again, in the transaction of the run's record. */
  async enqueue(
    client: pg.PoolClient,
    { runId, workspaceId, projectId }: Pick<RunFinished, 'runId' | 'workspaceId' | 'projectId'>,
    pages: readonly PageReading[],
    afterSeconds: number,
  ): Promise<void> {
    await client.query({
      name: 'enqueue-volatility-job',
      text: `
        INSERT INTO volatility_jobs (run_id, workspace_id, project_id, pages, due_at)
        VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5)) ON CONFLICT DO NOTHING`,
      values: [runId, workspaceId, projectId, JSON.stringify(pages), afterSeconds],
    });
  }

  async claim(): Promise<VolatilityJob | undefined> {
    const token = this.#newToken();
    const { rows } = await this.#pool.query<{
      run_id: string;
      workspace_id: string;
      project_id: string;
      pages: string;
      attempts: number;
      is_overdue: boolean;
    }>({
      name: 'claim-volatility-job',
      text: `
        UPDATE volatility_jobs SET owner = $1, lease_until = now() + make_interval(secs => $2), attempts = attempts + 1
        WHERE run_id = (
          SELECT run_id FROM volatility_jobs WHERE due_at <= now() AND (lease_until IS NULL OR lease_until < now())
          ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING run_id, workspace_id, project_id, pages, attempts, due_at < now() - make_interval(secs => $3) AS is_overdue`,
      values: [token, LEASE_SECONDS, RECAPTURE_MAX_AGE_SECONDS],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    const pages: readonly PageReading[] = JSON.parse(row.pages);
    const { run_id: runId, workspace_id: workspaceId, project_id: projectId, attempts } = row;
    return { runId, workspaceId, projectId, pages, token, attempts, isOverdue: row.is_overdue };
  }

  /** Whether the project has a record of a later full run: what changes by itself is learned from its runs by now. */
  async hasLaterRecord(
    on: pg.PoolClient | undefined,
    { runId, workspaceId, projectId }: VolatilityJob,
  ): Promise<boolean> {
    const { rowCount } = await (on ?? this.#pool).query({
      name: 'later-record',
      text: `
        SELECT FROM records
        WHERE workspace_id = $1 AND project_id = $2 AND run_id > $3 AND status = 'made' AND NOT is_recrawl LIMIT 1`,
      values: [workspaceId, projectId, runId],
    });
    return rowCount === 1;
  }

  async renewLease({ runId, token }: VolatilityJob): Promise<void> {
    await this.#pool.query({
      name: 'renew-volatility-job',
      text: 'UPDATE volatility_jobs SET lease_until = now() + make_interval(secs => $3) WHERE run_id = $1 AND owner = $2',
      values: [runId, token, LEASE_SECONDS],
    });
  }

  async scheduleRetry({ runId, token }: VolatilityJob, seconds: number): Promise<void> {
    await this.#pool.query({
      name: 'retry-volatility-job',
      text: `
        UPDATE volatility_jobs SET owner = NULL, lease_until = NULL, due_at = now() + make_interval(secs => $3)
        WHERE run_id = $1 AND owner = $2`,
      values: [runId, token, seconds],
    });
  }

  /** Nothing more is to be fetched. @returns false where it is another's by now, or the project is gone: nothing learned may stay */
  async complete(on: pg.PoolClient | undefined, { runId, token }: VolatilityJob): Promise<boolean> {
    const { rowCount } = await (on ?? this.#pool).query({
      name: 'complete-volatility-job',
      text: 'DELETE FROM volatility_jobs WHERE run_id = $1 AND owner = $2',
      values: [runId, token],
    });
    return rowCount === 1;
  }
}

/**
 * Keeps records and second fetches of a project from learning at the same time, until the transaction ends. Records, which may take long, share
 * it: second fetches wait for them, and are over in a moment.
 */
export const lockVolatility = async (
  client: pg.PoolClient,
  projectId: string,
  mode: 'shared' | 'exclusive',
): Promise<void> => {
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await client.query({
    name: `lock-volatility-${mode}`,
    text: `SELECT ${lock}(hashtextextended($1, 0))`,
    values: [`diff volatility ${projectId}`],
  });
};
