import { events, newId } from '@tidemark/contracts';
import type { Tokens } from '@tidemark/models';
import { inTransaction, type Logger, type Outbox, outgoingEvent, PeriodicTask, writeEvents } from '@tidemark/service';
import { type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from '../store/tables.ts';

/** Time between deletions of expired values, ms. */
const EXPIRY_INTERVAL_MS = 10 * 60_000;
const EXPIRED_PER_STATEMENT = 5_000;

interface StoredValue {
  readonly workspaceId: string;
  readonly inputHash: Buffer;
}

const FIND = schema.prepare('find-extraction', ({ workspaceId, inputHash }: Params<StoredValue>) =>
  tables
    .selectFrom('extractions')
    .select('value')
    .where('workspace_id', '=', workspaceId)
    .where('input_hash', '=', inputHash),
);
const ADD = schema.prepare(
  'add-extraction',
  ({ workspaceId, inputHash, value }: Params<StoredValue & { readonly value: string }>) =>
    tables
      .insertInto('extractions')
      .values({ workspace_id: workspaceId, input_hash: inputHash, value })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'input_hash']).doNothing()),
);
const DELETE_BUDGETS = schema.prepareText(
  'delete-old-budgets',
  {},
  () => sql`
    DELETE FROM extraction_budgets WHERE (workspace_id, job_id) IN (
      SELECT workspace_id, job_id FROM extraction_budgets WHERE updated_at < now() - interval '30 days' LIMIT ${sql.lit(EXPIRED_PER_STATEMENT)})`,
);
const DELETE_VALUES = schema.prepareText(
  'delete-old-extractions',
  {},
  () => sql`
    DELETE FROM extractions WHERE (workspace_id, input_hash) IN (
      SELECT workspace_id, input_hash FROM extractions WHERE created_at < now() - interval '30 days' LIMIT ${sql.lit(EXPIRED_PER_STATEMENT)})`,
);

/** A call of a model for one page. */
export interface ModelCallRecord {
  readonly workspaceId: string;
  readonly inputHash: Buffer;
  /** Undefined: the extraction failed. */
  readonly valueJson: string | undefined;
  readonly model: string;
  readonly tokens: Tokens;
  readonly at: Date;
}

/** Values by the hash of all that determines them: model, schema, prompt and content. Kept for 30 days. */
export class ExtractionStore {
  readonly #pool: pg.Pool;
  readonly #outbox: Pick<Outbox, 'send'>;

  constructor(pool: pg.Pool, outbox: Pick<Outbox, 'send'>) {
    this.#pool = pool;
    this.#outbox = outbox;
  }

  /** Returns the value as JSON. */
  async find(workspaceId: string, inputHash: Buffer): Promise<string | undefined> {
    return (await FIND.row(this.#pool, { workspaceId, inputHash }))?.value;
  }

  /** Records a call of a model: its tokens, and its value if it has one. */
  async record(call: ModelCallRecord): Promise<void> {
    const { workspaceId, inputHash, valueJson, model, tokens, at } = call;
    const ref = newId('req');
    const counts = { inputTokens: tokens.input, outputTokens: tokens.output };
    const used = { ref, workspaceId, kind: 'extraction' as const, model, ...counts, at };
    const messages = [outgoingEvent(events.extractionTokensUsed, `tokens:${ref}`, used)];
    await inTransaction(this.#pool, async (client) => {
      if (valueJson !== undefined) await ADD.change(client, { workspaceId, inputHash, value: valueJson });
      await writeEvents(client, messages);
    });
    this.#outbox.send(messages);
  }

  /** Deletes expired values periodically. */
  openExpiry(log: Logger): PeriodicTask {
    const run = async () => {
      await DELETE_BUDGETS.change(this.#pool, {});
      await DELETE_VALUES.change(this.#pool, {});
    };
    const failed = 'deletion of expired extractions failed, will retry';
    return new PeriodicTask({ everyMs: EXPIRY_INTERVAL_MS, run, failed, log });
  }
}
