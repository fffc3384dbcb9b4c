import { ATTEMPT_POLICIES, LeasedQueue, unfenced } from '@tidemark/leased-work';
import { column, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { ADOPTION_LEASE_SECONDS } from '../store/project-writer.ts';
import { schema } from '../store/tables.ts';

/** A project made of a crawl, and the state of its run's adoption. */
export interface KeptCrawl {
  readonly projectId: string;
  readonly workspaceId: string;
  readonly runId: string;
  /** Whether the run must still be adopted. */
  readonly isPending: boolean;
  /** Why the run cannot be adopted; empty: no failure. */
  readonly error: string;
}

const COLUMNS = `
  id AS "projectId", workspace_id AS "workspaceId", coalesce(kept_run_id, '') AS "runId",
  adoption_lease_until IS NOT NULL AS "isPending", adoption_error AS error`;

const QUEUE = new LeasedQueue({
  schema,
  name: 'adoption',
  table: 'projects',
  key: ['id'],
  times: { kind: 'shared', at: 'adoption_lease_until', whenNull: 'never_due' },
  fence: unfenced('crawl adopts a run once'),
  leaseSeconds: ADOPTION_LEASE_SECONDS,
  policy: ATTEMPT_POLICIES['projects.adoptions'],
  columns: {
    projectId: column('text'),
    workspaceId: column('text'),
    runId: column('text'),
    isPending: column('bool'),
    error: column('text'),
  },
  returning: sql.raw(COLUMNS),
});
const FINISH = QUEUE.end(
  'finish-adoption',
  ({ error }: Params<{ readonly error: string }>) => sql`adoption_error = ${error}`,
);

/** Projects made of crawls, and pending adoptions of their runs. */
export class AdoptionStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Finds the project that was made of a crawl. */
  async find(workspaceId: string, runId: string): Promise<KeptCrawl | undefined> {
    const { rows } = await this.#pool.query<KeptCrawl>({
      name: 'find-kept',
      text: `SELECT ${COLUMNS} FROM projects WHERE workspace_id = $1 AND kept_run_id = $2`,
      values: [workspaceId, runId],
    });
    return rows[0];
  }

  /** Claims pending adoptions whose lease has expired. Skips locked rows. */
  claim(limit: number): Promise<KeptCrawl[]> {
    return QUEUE.claim(this.#pool, { limit });
  }

  /** Ends a pending adoption. `error` empty: the run was adopted. */
  async finish(projectId: string, error: string): Promise<void> {
    await FINISH.changesRow(this.#pool, { id: projectId, error });
  }
}
