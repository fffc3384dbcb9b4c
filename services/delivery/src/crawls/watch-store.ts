import type { RunWatched } from '@tidemark/contracts/crawl/v1/events';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue, param, retrySeconds, returning, sql } from '@tidemark/leased-work';
import type pg from 'pg';

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
  /** Attempts in a row that were interrupted. */
  readonly interruptions: number;
  readonly token: string;
}

/** Progress of the messages to a crawl's webhook. */
export interface CrawlProgress {
  readonly number: number;
  readonly lastSentAt: Date;
}

interface ClaimedRow {
  readonly run_id: string;
  readonly workspace_id: string;
  readonly number: number;
  readonly is_started: boolean;
  readonly events: string[];
  readonly metadata: string;
  readonly last_sent_at: Date | null;
  readonly attempts: number;
  readonly interrupted: number;
}

const QUEUE = new LeasedQueue({
  name: 'watches',
  table: 'watches',
  key: ['run_id'],
  times: { kind: 'separate', dueAt: 'due', leaseUntil: 'lease_until' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  interruptions: 'interrupted',
  leaseSeconds: 30,
  policy: ATTEMPT_POLICIES['delivery.watches'],
  suspects: 'one',
  returning: returning<ClaimedRow>(
    'run_id, workspace_id, number, is_started, events, metadata, last_sent_at, attempts, interrupted',
  ),
});
const ADVANCE = QUEUE.progress(
  'advance-watch',
  sql`is_started = true, number = ${param('number')}, last_sent_at = ${param('lastSentAt')}`,
);
const END = QUEUE.end('end-watch');
const RETRY = QUEUE.retry('retry-watch');
const RESCHEDULE = QUEUE.retry('reschedule-watch', sql`attempts = 0`);

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

  /** Claims due crawls, the longest overdue first, and at most one whose claims expired several times in a row. */
  async claim(limit: number): Promise<WatchClaim[]> {
    const token = this.#newToken();
    const rows = await QUEUE.claim(this.#pool, { owner: token, limit });
    return rows.map((row) => ({
      runId: row.run_id,
      workspaceId: row.workspace_id,
      number: row.number,
      isStarted: row.is_started,
      events: row.events,
      metadataJson: row.metadata,
      lastSentAt: row.last_sent_at ?? undefined,
      attempts: row.attempts,
      interruptions: row.interrupted,
      token,
    }));
  }

  /** Stores the progress in the transaction of the messages. @returns false where another instance holds the lease: roll back */
  advance(
    client: pg.PoolClient,
    { runId, token }: WatchClaim,
    { number, lastSentAt }: CrawlProgress,
  ): Promise<boolean> {
    return ADVANCE.changes(client, { run_id: runId, owner: token, number, lastSentAt });
  }

  /** Ends a watch in the transaction of its last message. @returns false where another instance holds the lease */
  end(client: pg.PoolClient | pg.Pool, { runId, token }: WatchClaim): Promise<boolean> {
    return END.changes(client, { run_id: runId, owner: token });
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

  /** Releases the claim until the next poll. */
  async reschedule({ runId, token }: WatchClaim, seconds: number): Promise<void> {
    await RESCHEDULE.changes(this.#pool, { run_id: runId, owner: token, seconds });
  }

  /** Releases the claim after a failed poll. */
  async retry({ runId, token, attempts }: WatchClaim): Promise<void> {
    const seconds = retrySeconds(QUEUE.policy, attempts);
    await RETRY.changes(this.#pool, { run_id: runId, owner: token, seconds });
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
