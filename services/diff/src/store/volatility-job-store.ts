import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue } from '@tidemark/leased-work';
import { column, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { PageReading } from '../domain/page-reading.ts';
import { RECAPTURE_MAX_AGE_SECONDS } from '../volatility/recapture-sample.ts';
import { schema } from './tables.ts';

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

const QUEUE = new LeasedQueue({
  schema,
  name: 'volatility-job',
  table: 'volatility_jobs',
  key: ['run_id'],
  times: { kind: 'separate', dueAt: 'due_at', leaseUntil: 'lease_until' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  leaseSeconds: 30,
  policy: ATTEMPT_POLICIES['diff.volatility_jobs'],
  columns: {
    run_id: column('text'),
    workspace_id: column('text'),
    project_id: column('text'),
    pages: column('text'),
    attempts: column('int4'),
    is_overdue: column('bool'),
  },
  returning: sql`run_id, workspace_id, project_id, pages, attempts,
    due_at < now() - make_interval(secs => ${sql.lit(RECAPTURE_MAX_AGE_SECONDS)}) AS is_overdue`,
});
const RELEASE = QUEUE.postpone('release-volatility-job');
const RETRY = QUEUE.retry('retry-volatility-job');
const COMPLETE = QUEUE.remove('complete-volatility-job');

/** Jobs that learn volatility: at most one per project, for its first full run. */
export class VolatilityJobStore {
  readonly #pool: pg.Pool;
  readonly #newToken: () => string;
  readonly policy = QUEUE.policy;

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
    const [row] = await QUEUE.claim(this.#pool, { owner: token, limit: 1 });
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

  /** @returns false if the lease was lost */
  async renewLease({ runId, token }: VolatilityJob): Promise<boolean> {
    return (await QUEUE.renew(this.#pool, { owner: token, keys: [runId] })).has(runId);
  }

  /** Releases a job at shutdown: it is due at once, and the attempt is not counted. */
  async release({ runId, token }: VolatilityJob): Promise<void> {
    await RELEASE.changesRow(this.#pool, { run_id: runId, owner: token, seconds: 0 });
  }

  async scheduleRetry({ runId, token }: VolatilityJob, seconds: number): Promise<void> {
    await RETRY.changesRow(this.#pool, { run_id: runId, owner: token, seconds });
  }

  /** Deletes the job. @returns false if the lease was lost or the project deleted: the result must be discarded */
  complete(on: pg.PoolClient | undefined, { runId, token }: VolatilityJob): Promise<boolean> {
    return COMPLETE.changesRow(on ?? this.#pool, { run_id: runId, owner: token });
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
