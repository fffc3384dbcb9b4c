import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type pg from 'pg';
import type { PageReading } from '../record/page-reading.ts';
import { SECOND_FETCH_WITHIN_SECONDS } from '../volatile/second-fetch.ts';

const LEASE_SECONDS = 30;

/** Pages of a run that somebody fetches a second time: theirs until the lease they renew runs out. */
export interface SecondFetchClaim {
  readonly runId: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly pages: readonly PageReading[];
  readonly token: string;
  readonly attempts: number;
  /** It is long overdue. */
  readonly isLate: boolean;
}

/** Second fetches that are due: at most one for each project's first full run. */
export class SecondFetchStore {
  readonly #pool: pg.Pool;
  readonly #newToken: () => string;

  constructor(pool: pg.Pool, newToken: () => string) {
    this.#pool = pool;
    this.#newToken = newToken;
  }

  /** Notes what is to be fetched again, in the transaction of the run's record. */
  async note(
    client: pg.PoolClient,
    { runId, workspaceId, projectId }: Pick<RunFinished, 'runId' | 'workspaceId' | 'projectId'>,
    pages: readonly PageReading[],
    afterSeconds: number,
  ): Promise<void> {
    await client.query({
      name: 'note-second-fetch',
      text: `
        INSERT INTO second_fetches (run_id, workspace_id, project_id, pages, due)
        VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5)) ON CONFLICT DO NOTHING`,
      values: [runId, workspaceId, projectId, JSON.stringify(pages), afterSeconds],
    });
  }

  async claim(): Promise<SecondFetchClaim | undefined> {
    const token = this.#newToken();
    const { rows } = await this.#pool.query<{
      run_id: string;
      workspace_id: string;
      project_id: string;
      pages: string;
      attempts: number;
      is_late: boolean;
    }>({
      name: 'claim-second-fetch',
      text: `
        UPDATE second_fetches SET owner = $1, lease_until = now() + make_interval(secs => $2), attempts = attempts + 1
        WHERE run_id = (
          SELECT run_id FROM second_fetches WHERE due <= now() AND (lease_until IS NULL OR lease_until < now())
          ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING run_id, workspace_id, project_id, pages, attempts, due < now() - make_interval(secs => $3) AS is_late`,
      values: [token, LEASE_SECONDS, SECOND_FETCH_WITHIN_SECONDS],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    const pages: readonly PageReading[] = JSON.parse(row.pages);
    const { run_id: runId, workspace_id: workspaceId, project_id: projectId, attempts } = row;
    return { runId, workspaceId, projectId, pages, token, attempts, isLate: row.is_late };
  }

  /** Whether the project has a record of a later full run: what changes by itself is learned from its runs by now. */
  async isOvertaken(
    on: pg.PoolClient | undefined,
    { runId, workspaceId, projectId }: SecondFetchClaim,
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

  async renew({ runId, token }: SecondFetchClaim): Promise<void> {
    await this.#pool.query({
      name: 'renew-second-fetch',
      text: 'UPDATE second_fetches SET lease_until = now() + make_interval(secs => $3) WHERE run_id = $1 AND owner = $2',
      values: [runId, token, LEASE_SECONDS],
    });
  }

  async putOff({ runId, token }: SecondFetchClaim, seconds: number): Promise<void> {
    await this.#pool.query({
      name: 'put-off-second-fetch',
      text: `
        UPDATE second_fetches SET owner = NULL, lease_until = NULL, due = now() + make_interval(secs => $3)
        WHERE run_id = $1 AND owner = $2`,
      values: [runId, token, seconds],
    });
  }

  /** Nothing more is to be fetched. @returns false where it is another's by now, or the project is gone: nothing learned may stay */
  async end(on: pg.PoolClient | undefined, { runId, token }: SecondFetchClaim): Promise<boolean> {
    const { rowCount } = await (on ?? this.#pool).query({
      name: 'end-second-fetch',
      text: 'DELETE FROM second_fetches WHERE run_id = $1 AND owner = $2',
      values: [runId, token],
    });
    return rowCount === 1;
  }
}

/**
 * Keeps records and second fetches of a project from learning at the same time, until the transaction ends. Records, which may take long, share
 * it: second fetches wait for them, and are over in a moment.
 */
export const lockLearning = async (
  client: pg.PoolClient,
  projectId: string,
  by: 'record' | 'fetches',
): Promise<void> => {
  const lock = by === 'record' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await client.query({
    name: `lock-learning-${by}`,
    text: `SELECT ${lock}(hashtextextended($1, 0))`,
    values: [`diff learning ${projectId}`],
  });
};
