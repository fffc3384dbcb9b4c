import type { RunWatched } from '@tidemark/contracts/crawl/v1/events';
import type pg from 'pg';

const LEASE_SECONDS = 30;
/** Longer than any crawl may take. */
const KEPT_DAYS = 60;
/** One that is over is known this long: the fact that told of it may be heard again. */
const KNOWN_DAYS = 7;

/** A crawl whose webhook somebody tells: theirs until the lease runs out. */
export interface WatchClaim {
  readonly runId: string;
  readonly workspaceId: string;
  /** Of the last page told. */
  readonly number: number;
  /** Whether its beginning was told. */
  readonly isStarted: boolean;
  readonly events: readonly string[];
  /** Echoed on every message. */
  readonly metadataJson: string;
  /** When pages were last told, or the beginning was. */
  readonly lastSentAt: Date | undefined;
  readonly attempts: number;
  readonly token: string;
}

/** How far a crawl's webhook is told. */
export interface CrawlProgress {
  readonly number: number;
  readonly lastSentAt: Date;
}

/** Crawls whose webhooks are told of their pages as they end. */
export class WatchStore {
  readonly #pool: pg.Pool;
  readonly #newToken: () => string;

  constructor(pool: pg.Pool, newToken: () => string) {
    this.#pool = pool;
    this.#newToken = newToken;
  }

  /** Follows these crawls from now on. Safe to repeat, even once they are over. */
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
    await client.query({ name: 'note-watched', text, values });
  }

  /** Takes crawls that are to be looked at, those that waited longest first. */
  async claim(limit: number): Promise<WatchClaim[]> {
    const token = this.#newToken();
    const { rows } = await this.#pool.query<{
      run_id: string;
      workspace_id: string;
      number: number;
      is_started: boolean;
      events: string[];
      metadata: string;
      told_at: Date | null;
      attempts: number;
    }>({
      name: 'claim-watches',
      text: `
        UPDATE watches SET owner = $1, lease_until = now() + make_interval(secs => $2), attempts = attempts + 1
        WHERE run_id IN (
          SELECT run_id FROM watches WHERE due <= now() AND (lease_until IS NULL OR lease_until < now())
          ORDER BY due LIMIT $3 FOR UPDATE SKIP LOCKED)
        RETURNING run_id, workspace_id, number, is_started, events, metadata, told_at, attempts`,
      values: [token, LEASE_SECONDS, limit],
    });
    return rows.map((row) => ({
      ...{ runId: row.run_id, workspaceId: row.workspace_id, number: row.number, isStarted: row.is_started },
      ...{ events: row.events, metadataJson: row.metadata, lastSentAt: row.told_at ?? undefined },
      ...{ attempts: row.attempts, token },
    }));
  }

  /** How far it was told, in the transaction of what was told. @returns false where it is another's by now: nothing may be told */
  async advance(client: pg.PoolClient, { runId, token }: WatchClaim, reached: CrawlProgress): Promise<boolean> {
    const { rowCount } = await client.query({
      name: 'reach-watch',
      text: `
        UPDATE watches SET is_started = true, number = $3, told_at = $4, lease_until = now() + make_interval(secs => $5)
        WHERE run_id = $1 AND owner = $2`,
      values: [runId, token, reached.number, reached.lastSentAt, LEASE_SECONDS],
    });
    return rowCount === 1;
  }

  /** Ends it, in the transaction of the last that was told. @returns false where it is another's by now */
  async end(client: pg.PoolClient | pg.Pool, { runId, token }: WatchClaim): Promise<boolean> {
    const { rowCount } = await client.query({
      name: 'end-watch',
      text: 'UPDATE watches SET owner = NULL, lease_until = NULL, due = NULL WHERE run_id = $1 AND owner = $2',
      values: [runId, token],
    });
    return rowCount === 1;
  }

  /** Whether something that was told of a run has not been tried yet, or is being sent. */
  async isSending(workspaceId: string, runId: string): Promise<boolean> {
    const { rows } = await this.#pool.query({
      name: 'is-run-sending',
      text: `SELECT FROM deliveries WHERE workspace_id = $1 AND run_id = $2 AND status IN ('pending', 'delivering') LIMIT 1`,
      values: [workspaceId, runId],
    });
    return rows.length > 0;
  }

  /** Looks no more at a crawl that is gone. */
  async stopWatching(claim: WatchClaim): Promise<void> {
    await this.end(this.#pool, claim);
  }

  /** Leaves it to be looked at again; `failed`: the look was in vain. */
  async reschedule({ runId, token }: WatchClaim, seconds: number, failed: boolean): Promise<void> {
    await this.#pool.query({
      name: 'look-again-watch',
      text: `
        UPDATE watches SET owner = NULL, lease_until = NULL, due = now() + make_interval(secs => $3),
          attempts = CASE WHEN $4::bool THEN attempts ELSE 0 END
        WHERE run_id = $1 AND owner = $2`,
      values: [runId, token, seconds, failed],
    });
  }

  /** Forgets what is long over, and crawls that never came to an end. @returns how many of those there were */
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
