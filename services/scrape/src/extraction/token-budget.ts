import type pg from 'pg';

/** The job whose extractions share a budget. */
export interface BudgetedJob {
  readonly workspaceId: string;
  readonly jobId: string;
}

/** Tokens that the extractions of each job used or have reserved, in all instances together. */
export class TokenBudget {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Reserves tokens of a job, in one statement. Returns false if the job would exceed `max`: nothing is then reserved. */
  async reserve({ workspaceId, jobId }: BudgetedJob, tokens: number, max: number): Promise<boolean> {
    if (tokens > max) return false;
    const { rowCount } = await this.#pool.query({
      name: 'reserve-tokens',
      text: `
        INSERT INTO extraction_budgets AS b (workspace_id, job_id, tokens) VALUES ($1, $2, $3)
        ON CONFLICT (workspace_id, job_id) DO UPDATE SET tokens = b.tokens + $3, updated_at = now()
          WHERE b.tokens + $3 <= $4`,
      values: [workspaceId, jobId, tokens, max],
    });
    return rowCount === 1;
  }

  /** Replaces a reservation by the tokens that were used. A reservation whose process ends before that counts as used. */
  async settle({ workspaceId, jobId }: BudgetedJob, reserved: number, used: number): Promise<void> {
    await this.#pool.query({
      name: 'settle-tokens',
      text: `
        UPDATE extraction_budgets SET tokens = greatest(0, tokens - $3 + $4), updated_at = now()
         WHERE workspace_id = $1 AND job_id = $2`,
      values: [workspaceId, jobId, reserved, used],
    });
  }
}
