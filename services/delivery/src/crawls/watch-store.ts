import type { RunWatched } from '@tidemark/contracts/crawl/v1/events';
import type pg from 'pg';

const LEASE_SECONDS = 30;
/** Retention of unfinished watches, days. Must exceed the longest crawl. */
const KEPT_DAYS = 60;
/** Retention of ended watches, days: run.watched may be redelivered. */
const KNOWN_DAYS = 7;

/** A crawl with a webhook, claimed by one instance until the lease expires. */
export interface WatchClaim {
  readonly runId: string;
  readonly workspaceId: string;
  /** Number of the last page sent. */
  readonly number: number;
  /** Whether crawl.started was sent. */
  readonly isStarted: boolean;
  readonly events: readonly string[];
  /** Echoed on every message. */
  readonly metadataJson: string;
  /** Time of the last message. */
  readonly lastSentAt: Date | undefined;
  readonly attempts: number;
  readonly token: string;
}

/** Progress of the messages to a crawl's webhook. */
export interface CrawlProgress {
  readonly number: number;
  readonly lastSentAt: Date;
}

/** Stores the crawls whose webhooks receive their pages. */
export class WatchStore {
  readonly #pool: pg.Pool;
  readonly #newToken: () => string;

  constructor(pool: pg.Pool, newToken: () => string) {
    this.#pool = pool;
    this.#newToken = newToken;
  }

  /** Adds crawls. Idempotent, also after their end. */
  async add(client: pg.PoolClient, runs: readonly RunWatched[]): Promise<void> {
    const text = `
      INSERT INTO watches (run_id, workspace_id, events, metadata, due)
      SELECT r.run_id, r.workspace_id, ARRAY(SELECT jsonb_array_elements_text(r.events)), r.metadata, now()
      FROM unnest($1::text[], $2::text[], $3::jsonb[], $4::text[]) AS r(run_id, workspace_id, events, metadata)
      ON CONFLICT DO NOTHING`;
    const values = [
      runs.map(({ runId }) => runId),
      runs.map(({ workspaceId }) => workspaceId),
      runs.map(({ events }) => JSON.stringify(events)),
      runs.map(({ metadataJson }) => metadataJson),
    ];
    await client.query({ name: 'add-watches', text, values });
  }

  /** Claims due crawls, the longest overdue first. */
  async claim(limit: number): Promise<WatchClaim[]> {
    const token = this.#newToken();
    const { rows } = await this.#pool.query<{
      run_id: string;
      workspace_id: string;
      number: number;
      is_started: boolean;
      events: string[];
      metadata: string;
      last_sent_at: Date | null;
      attempts: number;
    }>({
      name: 'claim-watches',
      text: `
        UPDATE watches SET owner = $1, lease_until = now() + make_interval(secs => $2), attempts = attempts + 1
        WHERE run_id = ANY (ARRAY(
          SELECT run_id FROM watches WHERE due <= now() AND (lease_until IS NULL OR lease_until < now())
          ORDER BY due LIMIT $3 FOR UPDATE SKIP LOCKED))
        RETURNING run_id, workspace_id, number, is_started, events, metadata, last_sent_at, attempts`,
      values: [token, LEASE_SECONDS, limit],
    });
    return rows.map((row) => ({
      ...{ runId: row.run_id, workspaceId: row.workspace_id, number: row.number, isStarted: row.is_started },
      ...{ events: row.events, metadataJson: row.metadata, lastSentAt: row.last_sent_at ?? undefined },
      ...{ attempts: row.attempts, token },
    }));
  }

  /** Stores the progress in the transaction of the messages. @returns false where another instance holds the lease: roll back */
  async advance(client: pg.PoolClient, { runId, token }: WatchClaim, reached: CrawlProgress): Promise<boolean> {
    const { rowCount } = await client.query({
      name: 'advance-watch',
      text: `
        UPDATE watches SET is_started = true, number = $3, last_sent_at = $4, lease_until = now() + make_interval(secs => $5)
        WHERE run_id = $1 AND owner = $2`,
      values: [runId, token, reached.number, reached.lastSentAt, LEASE_SECONDS],
    });
    return rowCount === 1;
  }

  /** Ends a watch in the transaction of its last message. @returns false where another instance holds the lease */
  async end(client: pg.PoolClient | pg.Pool, { runId, token }: WatchClaim): Promise<boolean> {
    const { rowCount } = await client.query({
      name: 'end-watch',
      text: 'UPDATE watches SET owner = NULL, lease_until = NULL, due = NULL WHERE run_id = $1 AND owner = $2',
      values: [runId, token],
    });
    return rowCount === 1;
  }

  /** Whether messages of a run are untried or being sent. */
  async isSending(workspaceId: string, runId: string): Promise<boolean> {
    const { rows } = await this.#pool.query({
      name: 'is-run-sending',
      text: `SELECT FROM deliveries WHERE workspace_id = $1 AND run_id = $2 AND status IN ('pending', 'delivering') LIMIT 1`,
      values: [workspaceId, runId],
    });
    return rows.length > 0;
  }

  /** Ends the watch of a deleted crawl. */
  async stopWatching(claim: WatchClaim): Promise<void> {
    await this.end(this.#pool, claim);
  }

  /** Releases the claim and schedules the next poll; `failed`: the poll failed. */
  async reschedule({ runId, token }: WatchClaim, seconds: number, failed: boolean): Promise<void> {
    await this.#pool.query({
      name: 'reschedule-watch',
      text: `
        UPDATE watches SET owner = NULL, lease_until = NULL, due = now() + make_interval(secs => $3),
          attempts = CASE WHEN $4::bool THEN attempts ELSE 0 END
        WHERE run_id = $1 AND owner = $2`,
      values: [runId, token, seconds, failed],
    });
  }

  /** Deletes expired watches. @returns how many of them had not ended */
  async sweep(): Promise<number> {
    await this.#pool.query(
      `DELETE FROM watches WHERE due IS NULL AND noted_at < now() - interval '${KNOWN_DAYS} days'`,
    );
    const { rowCount } = await this.#pool.query(
      `DELETE FROM watches WHERE noted_at < now() - interval '${KEPT_DAYS} days'`,
    );
    return rowCount ?? 0;
  }
}
