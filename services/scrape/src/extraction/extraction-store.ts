import { type Logger, PeriodicTask } from '@tidemark/service';
import type pg from 'pg';

/** Time between deletions of expired values, ms. */
const EXPIRY_INTERVAL_MS = 10 * 60_000;
const EXPIRED_PER_STATEMENT = 5_000;

/** Values by the hash of all that determines them: model, schema, prompt and content. Kept for 30 days. */
export class ExtractionStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
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

  async add(workspaceId: string, inputHash: Buffer, valueJson: string): Promise<void> {
    await this.#pool.query({
      name: 'add-extraction',
      text: `
        INSERT INTO extractions (workspace_id, input_hash, value) VALUES ($1, $2, $3)
        ON CONFLICT (workspace_id, input_hash) DO NOTHING`,
      values: [workspaceId, inputHash, valueJson],
    });
  }

  /** Deletes expired values periodically. */
  openExpiry(log: Logger): PeriodicTask {
    const run = () =>
      this.#pool.query(
        `DELETE FROM extractions WHERE (workspace_id, input_hash) IN (
           SELECT workspace_id, input_hash FROM extractions WHERE created_at < now() - interval '30 days' LIMIT $1)`,
        [EXPIRED_PER_STATEMENT],
      );
    const failed = 'deletion of expired extractions failed, will retry';
    return new PeriodicTask({ everyMs: EXPIRY_INTERVAL_MS, run, failed, log });
  }
}
