import { events, newId } from '@tidemark/contracts';
import type { Tokens } from '@tidemark/models';
import { inTransaction, type Logger, type Outbox, outgoingEvent, PeriodicTask, writeEvents } from '@tidemark/service';
import type pg from 'pg';

/** Time between deletions of expired values, ms. */
const EXPIRY_INTERVAL_MS = 10 * 60_000;
const EXPIRED_PER_STATEMENT = 5_000;

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
    const { rows } = await this.#pool.query<{ value: string }>({
      name: 'find-extraction',
      text: 'SELECT value FROM extractions WHERE workspace_id = $1 AND input_hash = $2',
      values: [workspaceId, inputHash],
    });
    return rows[0]?.value;
  }

  /** Records a call of a model: its tokens, and its value if it has one. */
  async record(call: ModelCallRecord): Promise<void> {
    const { workspaceId, inputHash, valueJson, model, tokens, at } = call;
    const ref = newId('req');
    const counts = { inputTokens: tokens.input, outputTokens: tokens.output };
    const used = { ref, workspaceId, kind: 'extraction' as const, model, ...counts, at };
    const messages = [outgoingEvent(events.extractionTokensUsed, `tokens:${ref}`, used)];
    await inTransaction(this.#pool, async (client) => {
      if (valueJson !== undefined)
        await client.query({
          name: 'add-extraction',
          text: `
            INSERT INTO extractions (workspace_id, input_hash, value) VALUES ($1, $2, $3)
            ON CONFLICT (workspace_id, input_hash) DO NOTHING`,
          values: [workspaceId, inputHash, valueJson],
        });
      await writeEvents(client, messages);
    });
    this.#outbox.send(messages);
  }

  /** Deletes expired values periodically. */
  openExpiry(log: Logger): PeriodicTask {
    const run = async () => {
      await this.#pool.query(
        `DELETE FROM extraction_budgets WHERE (workspace_id, job_id) IN (
           SELECT workspace_id, job_id FROM extraction_budgets WHERE updated_at < now() - interval '30 days' LIMIT $1)`,
        [EXPIRED_PER_STATEMENT],
      );
      await this.#pool.query(
        `DELETE FROM extractions WHERE (workspace_id, input_hash) IN (
           SELECT workspace_id, input_hash FROM extractions WHERE created_at < now() - interval '30 days' LIMIT $1)`,
        [EXPIRED_PER_STATEMENT],
      );
    };
    const failed = 'deletion of expired extractions failed, will retry';
    return new PeriodicTask({ everyMs: EXPIRY_INTERVAL_MS, run, failed, log });
  }
}
