import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue } from '@tidemark/leased-work';
import { changeRows, column, type Database, lockUntilCommit, selectRow, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { PageReading } from '../domain/page-reading.ts';
import { RECAPTURE_MAX_AGE_SECONDS } from '../volatility/recapture-sample.ts';
import { stateAfter } from './record-transitions.ts';
import { schema, tables } from './tables.ts';

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
    client: Database,
    { runId, workspaceId, projectId }: Pick<RunFinished, 'runId' | 'workspaceId' | 'projectId'>,
    pages: readonly PageReading[],
    afterSeconds: number,
  ): Promise<void> {
    await changeRows(
      client,
      tables
        .insertInto('volatility_jobs')
        .values({
          run_id: runId,
          workspace_id: workspaceId,
          project_id: projectId,
          pages: JSON.stringify(pages),
          due_at: sql<Date>`now() + make_interval(secs => ${afterSeconds})`,
        })
        .onConflict((conflict) => conflict.doNothing()),
    );
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
  async hasLaterRecord(on: Database | undefined, { runId, workspaceId, projectId }: VolatilityJob): Promise<boolean> {
    const row = await selectRow(
      on ?? this.#pool,
      tables
        .selectFrom('records')
        .select('run_id')
        .where('workspace_id', '=', workspaceId)
        .where('project_id', '=', projectId)
        .where('run_id', '>', runId)
        .where('status', '=', stateAfter('finish'))
        .where('is_recrawl', '=', false)
        .limit(1),
    );
    return row !== undefined;
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
  complete(on: Database | undefined, { runId, token }: VolatilityJob): Promise<boolean> {
    return COMPLETE.changesRow(on ?? this.#pool, { run_id: runId, owner: token });
  }
}

/**
 * Serialises changes of a project's volatility until the transaction ends. Records, which may take long, share the
 * lock; a volatility job takes it exclusively for a moment.
 */
export const lockVolatility = (client: Database, projectId: string, mode: 'shared' | 'exclusive'): Promise<void> =>
  lockUntilCommit(client, [`diff volatility ${projectId}`], mode);
