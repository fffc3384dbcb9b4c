import type { RunWatched } from '@tidemark/contracts/crawl/v1/events';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue, retrySeconds } from '@tidemark/leased-work';
import { changeRows, column, nullable, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from './tables.ts';

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
  readonly metadataJson?: string | undefined;
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

const QUEUE = new LeasedQueue({
  schema,
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
  columns: {
    run_id: column('text'),
    workspace_id: column('text'),
    number: column('int4'),
    is_started: column('bool'),
    events: nullable('text[]'),
    metadata: column('text'),
    last_sent_at: nullable('timestamptz'),
    attempts: column('int4'),
    interrupted: column('int4'),
  },
});
const ADVANCE = QUEUE.progress(
  'advance-watch',
  ({ number, lastSentAt }: Params<CrawlProgress>) =>
    sql`is_started = true, number = ${number}, last_sent_at = ${lastSentAt}`,
);
const END = QUEUE.end('end-watch');
const RETRY = QUEUE.retry('retry-watch');
const RESCHEDULE = QUEUE.retry('reschedule-watch', sql`attempts = 0`);

interface WatchLists {
  readonly runIds: readonly string[];
  readonly workspaceIds: readonly string[];
  /** JSON texts. */
  readonly events: readonly string[];
  readonly metadata: readonly string[];
}

const ADD = schema.prepareText(
  'add-watches',
  {},
  ({ runIds, workspaceIds, events, metadata }: Params<WatchLists>) => sql`
    INSERT INTO watches (run_id, workspace_id, events, metadata, due)
    SELECT r.run_id, r.workspace_id, ARRAY(SELECT jsonb_array_elements_text(r.events)), r.metadata, now()
    FROM unnest(${runIds}::text[], ${workspaceIds}::text[], ${events}::jsonb[], ${metadata}::text[]) AS r(run_id, workspace_id, events, metadata)
    ON CONFLICT DO NOTHING`,
);

const IS_SENDING = schema.prepare(
  'is-run-sending',
  ({ workspaceId, runId }: Params<{ readonly workspaceId: string; readonly runId: string }>) =>
    tables
      .selectFrom('deliveries')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('run_id', '=', runId)
      .where('status', 'in', ['pending', 'delivering'])
      .limit(sql.lit(1)),
);

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
    await ADD.change(client, {
      runIds: runs.map(({ runId }) => runId),
      workspaceIds: runs.map(({ workspaceId }) => workspaceId),
      events: runs.map(({ events }) => JSON.stringify(events)),
      metadata: runs.map(({ metadataJson = '' }) => metadataJson),
    });
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
      events: row.events ?? [],
      metadataJson: row.metadata || undefined,
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
    return ADVANCE.changesRow(client, { run_id: runId, owner: token, number, lastSentAt });
  }

  /** Ends a watch in the transaction of its last message. @returns false where another instance holds the lease */
  end(client: pg.PoolClient | pg.Pool, { runId, token }: WatchClaim): Promise<boolean> {
    return END.changesRow(client, { run_id: runId, owner: token });
  }

  /** Whether messages of a run are untried or being sent. */
  isSending(workspaceId: string, runId: string): Promise<boolean> {
    return IS_SENDING.changesRow(this.#pool, { workspaceId, runId });
  }

  /** Ends the watch of a deleted crawl. */
  async stopWatching(claim: WatchClaim): Promise<void> {
    await this.end(this.#pool, claim);
  }

  /** Releases the claim until the next poll. */
  async reschedule({ runId, token }: WatchClaim, seconds: number): Promise<void> {
    await RESCHEDULE.changesRow(this.#pool, { run_id: runId, owner: token, seconds });
  }

  /** Releases the claim after a failed poll. */
  async retry({ runId, token, attempts }: WatchClaim): Promise<void> {
    const seconds = retrySeconds(QUEUE.policy, attempts);
    await RETRY.changesRow(this.#pool, { run_id: runId, owner: token, seconds });
  }

  /** Deletes expired watches. @returns how many of them had not ended */
  async sweep(): Promise<number> {
    await changeRows(
      this.#pool,
      tables
        .deleteFrom('watches')
        .where('due', 'is', null)
        .where('noted_at', '<', sql<Date>`now() - make_interval(days => ${sql.lit(KNOWN_DAYS)})`),
    );
    return changeRows(
      this.#pool,
      tables
        .deleteFrom('watches')
        .where('noted_at', '<', sql<Date>`now() - make_interval(days => ${sql.lit(KEPT_DAYS)})`),
    );
  }
}
