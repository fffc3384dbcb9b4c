import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { RunNotificationClaim } from './run-notification-store.ts';

/** A run whose model is asked now, by whoever claimed it, and by nobody after. */
export interface DigestRequest {
  readonly run: RunFinished;
  /** Until the telling goes on without an answer. */
  readonly leftMs: number;
}

/** One who asks at a time: whoever claims sees all that were claimed before. */
const CLAIM_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('delivery.asks', 0))";

/**
 * Tellings that wait for what a model says. A run's model is asked once at most: that it was is noted before, so that one who dies while
 * asking leaves the telling to go on without a digest once its wait is over.
 */
export class DigestRequestStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Leaves a telling until its model has answered, or `seconds` after it first was. */
  async wait({ run: { runId }, token }: RunNotificationClaim, seconds: number): Promise<void> {
    await this.#pool.query({
      name: 'wait-for-digest',
      text: `
        UPDATE tellings SET owner = NULL, lease_until = NULL, attempts = attempts - 1,
          ask_until = coalesce(ask_until, now() + make_interval(secs => $3)),
          due = coalesce(ask_until, now() + make_interval(secs => $3))
        WHERE run_id = $1 AND owner = $2`,
      values: [runId, token, seconds],
    });
  }

  /** Takes the run that has waited the longest, of a workspace that has none asked about at this moment. */
  async claim(): Promise<DigestRequest | undefined> {
    return inTransaction(this.#pool, async (client) => {
      await client.query(CLAIM_LOCK);
      const { rows } = await client.query<{ finished: Buffer; left_ms: number }>({
        name: 'claim-ask',
        text: `
          UPDATE tellings SET asked_at = now()
          WHERE run_id = (
            SELECT run_id FROM tellings t WHERE ask_until > now() AND digest = '' AND asked_at IS NULL
              AND NOT EXISTS (
                SELECT FROM tellings o
                WHERE o.workspace_id = t.workspace_id AND o.ask_until > now() AND o.digest = '' AND o.asked_at IS NOT NULL)
            ORDER BY ask_until LIMIT 1)
          RETURNING finished, (extract(epoch FROM ask_until - now()) * 1000)::int AS left_ms`,
      });
      const [row] = rows;
      return row && { run: RunFinished.decode(row.finished), leftMs: row.left_ms };
    });
  }

  /** Keeps what came of asking, and lets the telling go on. One that has gone on by itself keeps nothing. */
  async complete({ run: { runId } }: DigestRequest, digestJson: string): Promise<void> {
    await this.#pool.query({
      name: 'keep-answer',
      text: `UPDATE tellings SET digest = $2, due = now() WHERE run_id = $1 AND digest = '' AND ask_until IS NOT NULL`,
      values: [runId, digestJson],
    });
  }
}
