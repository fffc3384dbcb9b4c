import type pg from 'pg';

/** Seconds a run that was made a project of is left to whoever is having it adopted. */
export const ADOPT_SECONDS = 15;

/** A project made of a crawl, whose run may still have to be adopted. */
export interface Kept {
  readonly projectId: string;
  readonly workspaceId: string;
  readonly runId: string;
  /** Whether its run has yet to be adopted. */
  readonly isOpen: boolean;
  /** Why it could not be; empty: nothing speaks against it. */
  readonly why: string;
}

const COLUMNS = `
  id AS "projectId", workspace_id AS "workspaceId", kept_run_id AS "runId", adopt_after IS NOT NULL AS "isOpen", adoption_why AS why`;

/** Projects made of crawls, and which of their runs are still to be adopted. */
export class AdoptionStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** The project that was made of a crawl. */
  async find(workspaceId: string, runId: string): Promise<Kept | undefined> {
    const { rows } = await this.#pool.query<Kept>({
      name: 'find-kept',
      text: `SELECT ${COLUMNS} FROM projects WHERE workspace_id = $1 AND kept_run_id = $2`,
      values: [workspaceId, runId],
    });
    return rows[0];
  }

  /** Takes adoptions on that nobody has been heard of again about. Others pass over what we hold. */
  async claim(limit: number): Promise<Kept[]> {
    const { rows } = await this.#pool.query<Kept>({
      name: 'claim-adoptions',
      text: `
        UPDATE projects SET adopt_after = now() + make_interval(secs => $2) WHERE id IN (
          SELECT id FROM projects WHERE adopt_after <= now() ORDER BY adopt_after LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING ${COLUMNS}`,
      values: [limit, ADOPT_SECONDS],
    });
    return rows;
  }

  /** Notes that a run was adopted, or why it never can be. */
  async settle(projectId: string, why: string): Promise<void> {
    await this.#pool.query({
      name: 'settle-adoption',
      text: 'UPDATE projects SET adopt_after = NULL, adoption_why = $2 WHERE id = $1 AND adopt_after IS NOT NULL',
      values: [projectId, why],
    });
  }
}
