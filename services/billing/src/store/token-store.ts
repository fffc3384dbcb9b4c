import type { TokenSpend } from '@tidemark/contracts/billing/v1/billing';
import type { TokensUsed } from '@tidemark/contracts/billing/v1/events';
import { type Logger, PeriodicTask } from '@tidemark/service';
import type pg from 'pg';

/** Time between deletions of calls before the previous month, ms. */
const SWEEP_MS = 60 * 60_000;
/** Kinds and models of one response. */
const MAX_GROUPS = 100;

/** Calls of language models, each counted once. */
export class TokenStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Records calls. Idempotent. */
  async record(calls: readonly TokensUsed[]): Promise<void> {
    await this.#pool.query({
      name: 'record-tokens',
      text: `
        INSERT INTO token_uses (workspace_id, ref, kind, model, input_tokens, output_tokens, at)
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::timestamptz[])
        ON CONFLICT (workspace_id, ref) DO NOTHING`,
      values: [
        calls.map(({ workspaceId }) => workspaceId),
        calls.map(({ ref }) => ref),
        calls.map(({ kind }) => kind),
        calls.map(({ model }) => model.slice(0, 200)),
        calls.map(({ inputTokens }) => inputTokens),
        calls.map(({ outputTokens }) => outputTokens),
        calls.map(({ at }) => at ?? new Date()),
      ],
    });
  }

  /** Returns the tokens of the current month (UTC) by kind and model, the largest first. */
  async ofMonth(workspaceId: string, now: Date): Promise<TokenSpend[]> {
    const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
    const { rows } = await this.#pool.query<Record<'kind' | 'model' | 'count' | 'input' | 'output', string>>({
      name: 'tokens-of-month',
      text: `
        SELECT kind, model, count(*) AS count, sum(input_tokens) AS input, sum(output_tokens) AS output FROM token_uses
        WHERE workspace_id = $1 AND at >= $2 GROUP BY kind, model ORDER BY sum(input_tokens) + sum(output_tokens) DESC, kind, model LIMIT $3`,
      values: [workspaceId, start, MAX_GROUPS],
    });
    return rows.map(({ kind, model, count, input, output }) => ({
      kind,
      model,
      count: Number(count),
      inputTokens: Number(input),
      outputTokens: Number(output),
    }));
  }

  /** Deletes calls before the previous month periodically. */
  openSweep(log: Logger): PeriodicTask {
    const run = () =>
      this.#pool.query(`DELETE FROM token_uses WHERE at < date_trunc('month', now()) - interval '1 month'`);
    return new PeriodicTask({ everyMs: SWEEP_MS, run, failed: 'deletion of old token counts failed, will retry', log });
  }
}
