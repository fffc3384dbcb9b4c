import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';

/** A run whose model is to be called by the claiming worker, once. */
export interface DigestRequest {
  readonly run: RunFinished;
  /** Time until the notification is sent without a digest, ms. */
  readonly leftMs: number;
}

/** Serializes claims, so that each sees all earlier ones. */
const CLAIM_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('delivery.digest_requests', 0))";

/**
 * Stores the runs that wait for a digest. A run's model is called at most once: the call is recorded before it is made. Where the instance dies
 * during the call, the notification is sent without a digest once the wait is over.
 */
export class DigestRequestStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Claims the longest waiting run of a workspace that has no call in progress. */
  async claim(): Promise<DigestRequest | undefined> {
    return inTransaction(this.#pool, async (client) => {
      await client.query(CLAIM_LOCK);
      const { rows } = await client.query<{ finished: Buffer; left_ms: number }>({
        name: 'claim-digest-request',
        text: `
          UPDATE run_notifications SET model_called_at = now()
          WHERE run_id = (
            SELECT run_id FROM run_notifications n WHERE digest_until > now() AND digest = '' AND model_called_at IS NULL
              AND NOT EXISTS (
                SELECT FROM run_notifications o
                WHERE o.workspace_id = n.workspace_id AND o.digest_until > now() AND o.digest = '' AND o.model_called_at IS NOT NULL)
            ORDER BY digest_until LIMIT 1)
          RETURNING finished, (extract(epoch FROM digest_until - now()) * 1000)::int AS left_ms`,
      });
      const [row] = rows;
      return row && { run: RunFinished.decode(row.finished), leftMs: row.left_ms };
    });
  }

  /** Stores the result of a call and makes the notification due. A late result is discarded. */
  async complete({ run: { runId } }: DigestRequest, digestJson: string): Promise<void> {
    await this.#pool.query({
      name: 'complete-digest-request',
      text: `UPDATE run_notifications SET digest = $2, due = now() WHERE run_id = $1 AND digest = '' AND digest_until IS NOT NULL`,
      values: [runId, digestJson],
    });
  }
}
