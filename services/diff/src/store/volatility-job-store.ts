import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type pg from 'pg';
import type { PageReading } from '../domain/page-reading.ts';
import { RECAPTURE_MAX_AGE_SECONDS } from '../volatility/recapture-sample.ts';

const LEASE_SECONDS = 30;

/** A claimed job: sample pages of a run to recapture. Valid until its lease expires. */
export interface VolatilityJob {
  readonly runId: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly pages: readonly PageReading[];
  readonly token: string;
  readonly attempts: number;
  /** Due too long ago to be useful. */
  readonly isOverdue: boolean;
}

/** Jobs that learn volatility: at most one per project, for its first full run. */
export class VolatilityJobStore {
  readonly #pool: pg.Pool;
  readonly #newToken: () => string;

  constructor(pool: pg.Pool, newToken: () => string) {
    this.#pool = pool;
    this.#newToken = newToken;
  }

  /** Enqueues a job in the transaction of the run's record. */
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

  /** Whether a later full run has a record: volatility is then learned from runs. */
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

  /** Deletes the job. @returns false if the lease was lost or the project deleted: the result must be discarded */
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
 * Serialises changes of a project's volatility until the transaction ends. Records, which may take long, share the
 * lock; a volatility job takes it exclusively for a moment.
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
