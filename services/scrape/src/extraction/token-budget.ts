import { type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from '../store/tables.ts';

/** The job whose extractions share a budget. */
export interface BudgetedJob {
  readonly workspaceId: string;
  readonly jobId: string;
}

const RESERVE = schema.prepareText(
  'reserve-tokens',
  {},
  ({ workspaceId, jobId, tokens, max }: Params<BudgetedJob & { readonly tokens: number; readonly max: number }>) => sql`
    INSERT INTO extraction_budgets AS b (workspace_id, job_id, tokens) VALUES (${workspaceId}, ${jobId}, ${tokens})
    ON CONFLICT (workspace_id, job_id) DO UPDATE SET tokens = b.tokens + ${tokens}, updated_at = now()
      WHERE b.tokens + ${tokens} <= ${max}`,
);
const SETTLE = schema.prepareText(
  'settle-tokens',
  {},
  ({
    workspaceId,
    jobId,
    reserved,
    used,
  }: Params<BudgetedJob & { readonly reserved: number; readonly used: number }>) => sql`
    UPDATE extraction_budgets SET tokens = greatest(0, tokens - ${reserved} + ${used}), updated_at = now()
    WHERE workspace_id = ${workspaceId} AND job_id = ${jobId}`,
);

/** Tokens that the extractions of each job used or have reserved, in all instances together. */
export class TokenBudget {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Reserves tokens of a job, in one statement. Returns false if the job would exceed `max`: nothing is then reserved. */
  async reserve({ workspaceId, jobId }: BudgetedJob, tokens: number, max: number): Promise<boolean> {
    if (tokens > max) return false;
    return RESERVE.changesRow(this.#pool, { workspaceId, jobId, tokens, max });
  }

  /** Replaces a reservation by the tokens that were used. A reservation whose process ends before that counts as used. */
  async settle({ workspaceId, jobId }: BudgetedJob, reserved: number, used: number): Promise<void> {
    await SETTLE.change(this.#pool, { workspaceId, jobId, reserved, used });
  }
}
