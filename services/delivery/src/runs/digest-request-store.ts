import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { inTransaction } from '@tidemark/service';
import { changeRows, column, lockUntilCommit, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from '../store/tables.ts';

/** A run whose model is to be called by the claiming worker, once. */
export interface DigestRequest {
  readonly run: RunFinished;
  /** Time until the notification is sent without a digest, ms. */
  readonly leftMs: number;
}

/** The lock that serializes claims, so that each sees all earlier ones. */
const CLAIM_LOCK = 'delivery.digest_requests';

/** A digest is waited for only once the end of its run is stored. */
const CLAIM = schema.prepareText(
  'claim-digest-request',
  { finished: column('bytea'), left_ms: column('int4') },
  () => sql`
    UPDATE run_notifications SET model_called_at = now()
    WHERE run_id = (
      SELECT run_id FROM run_notifications n WHERE digest_until > now() AND digest = '' AND model_called_at IS NULL
        AND NOT EXISTS (
          SELECT FROM run_notifications o
          WHERE o.workspace_id = n.workspace_id AND o.digest_until > now() AND o.digest = '' AND o.model_called_at IS NOT NULL)
      ORDER BY digest_until LIMIT 1)
    RETURNING coalesce(finished, '') AS finished, (extract(epoch FROM digest_until - now()) * 1000)::int AS left_ms`,
);

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
      await lockUntilCommit(client, [CLAIM_LOCK]);
      const row = await CLAIM.row(client, {});
      return row && { run: RunFinished.decode(row.finished), leftMs: row.left_ms };
    });
  }

  /** Stores the result of a call and makes the notification due. A late result is discarded. */
  async complete({ run: { runId } }: DigestRequest, digestJson: string): Promise<void> {
    await changeRows(
      this.#pool,
      tables
        .updateTable('run_notifications')
        .set({ digest: digestJson, due: sql<Date>`now()` })
        .where('run_id', '=', runId)
        .where('digest', '=', '')
        .where('digest_until', 'is not', null),
    );
  }
}
