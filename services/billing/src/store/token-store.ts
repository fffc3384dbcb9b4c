import type { TokenSpend } from '@tidemark/contracts/billing/v1/billing';
import type { TokensUsed } from '@tidemark/contracts/billing/v1/events';
import { type Logger, PeriodicTask } from '@tidemark/service';
import { changeRows, type Params, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from './tables.ts';

/** Time between deletions of calls before the previous month, ms. */
const SWEEP_MS = 60 * 60_000;
/** Kinds and models of one response. */
const MAX_GROUPS = 100;

interface RecordValues {
  readonly workspaceIds: readonly string[];
  readonly refs: readonly string[];
  readonly kinds: readonly string[];
  readonly models: readonly string[];
  readonly inputTokens: readonly number[];
  readonly outputTokens: readonly number[];
  readonly times: readonly Date[];
}

const RECORD = schema.prepareText(
  'record-tokens',
  {},
  ({ workspaceIds, refs, kinds, models, inputTokens, outputTokens, times }: Params<RecordValues>) => sql`
    INSERT INTO token_uses (workspace_id, ref, kind, model, input_tokens, output_tokens, at)
    SELECT * FROM unnest(${workspaceIds}::text[], ${refs}::text[], ${kinds}::text[], ${models}::text[], ${inputTokens}::bigint[],
      ${outputTokens}::bigint[], ${times}::timestamptz[])
    ON CONFLICT (workspace_id, ref) DO NOTHING`,
);

/** Calls of language models, each counted once. */
export class TokenStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Records calls. Idempotent. */
  async record(calls: readonly TokensUsed[]): Promise<void> {
    await RECORD.change(this.#pool, {
      workspaceIds: calls.map(({ workspaceId }) => workspaceId),
      refs: calls.map(({ ref }) => ref),
      kinds: calls.map(({ kind }) => kind),
      models: calls.map(({ model }) => model.slice(0, 200)),
      inputTokens: calls.map(({ inputTokens }) => inputTokens),
      outputTokens: calls.map(({ outputTokens }) => outputTokens),
      times: calls.map(({ at }) => at ?? new Date()),
    });
  }

  /** Returns the tokens of the current month (UTC) by kind and model, the largest first. */
  async ofMonth(workspaceId: string, now: Date): Promise<TokenSpend[]> {
    const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
    const tokens = sql<string>`sum(input_tokens) + sum(output_tokens)`;
    const rows = await selectRows(
      this.#pool,
      tables
        .selectFrom('token_uses')
        .select(({ fn }) => [
          'kind',
          'model',
          fn.countAll<string>().as('count'),
          fn.sum<string>('input_tokens').as('input'),
          fn.sum<string>('output_tokens').as('output'),
        ])
        .where('workspace_id', '=', workspaceId)
        .where('at', '>=', start)
        .groupBy(['kind', 'model'])
        .orderBy(tokens, 'desc')
        .orderBy('kind')
        .orderBy('model')
        .limit(MAX_GROUPS),
    );
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
    const old = tables
      .deleteFrom('token_uses')
      .where('at', '<', sql<Date>`date_trunc('month', now()) - interval '1 month'`);
    const run = () => changeRows(this.#pool, old);
    return new PeriodicTask({ everyMs: SWEEP_MS, run, failed: 'deletion of old token counts failed, will retry', log });
  }
}
