import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { ChangeReady } from '@tidemark/contracts/diff/v1/events';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue, param, retrySeconds, returning, sql } from '@tidemark/leased-work';
import { retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';

/** Retention, days. Late events of a run are recognized by its row. */
const KEPT_DAYS = 7;

/** A run claimed by one worker until its lease expires. */
export interface RunNotificationClaim {
  readonly run: RunFinished;
  readonly isReady: boolean;
  /** Position of the last entry whose messages are queued. */
  readonly place: number;
  /** As JSON; empty: none is stored yet. */
  readonly digest: string;
  /** The wait for a digest is over. */
  readonly hasWaited: boolean;
  readonly attempts: number;
  /** Attempts in a row that were interrupted. */
  readonly interruptions: number;
  /** Fencing token of this claim. */
  readonly token: string;
}

interface ClaimedRow {
  readonly finished: Buffer;
  readonly is_ready: boolean;
  readonly place: number;
  readonly digest: string;
  readonly has_waited: boolean;
  readonly attempts: number;
  readonly interruptions: number;
}

const QUEUE = new LeasedQueue({
  name: 'run-notification',
  table: 'run_notifications',
  key: ['run_id'],
  times: { kind: 'separate', dueAt: 'due', leaseUntil: 'lease_until' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  interruptions: 'interrupted',
  // Exceeds the renewal interval.
  leaseSeconds: 30,
  policy: ATTEMPT_POLICIES['delivery.run_notifications'],
  returning: returning<ClaimedRow>(
    `finished, ready IS NOT NULL AS is_ready, place, digest, coalesce(digest_until <= now(), false) AS has_waited, attempts,
      interrupted AS interruptions`,
  ),
});
const STORE_DIGEST = QUEUE.update('store-digest', sql`digest = ${param('digest')}`);
const ADVANCE = QUEUE.progress('advance-run-notification', sql`place = ${param('place')}, attempts = 1`);
const RELEASE = QUEUE.postpone('release-run-notification');
const RETRY = QUEUE.retry('retry-run-notification');
const END = QUEUE.release('end-run-notification', {
  dueAt: sql`CASE WHEN ready IS NOT NULL AND NOT ${param('isReady')}::bool THEN now() END`,
  isCounted: true,
});
/** The notification is due at `digest_until`, which the first wait sets. */
const WAIT_FOR_DIGEST = QUEUE.release('wait-for-digest', {
  dueAt: sql`coalesce(digest_until, now() + make_interval(secs => ${param('seconds')}))`,
  isCounted: false,
  set: sql`digest_until = coalesce(digest_until, now() + make_interval(secs => ${param('seconds')}))`,
});

/** Stores the runs to be notified of, and the progress of each. */
export class RunNotificationStore {
  readonly #pool: pg.Pool;
  readonly #newToken: () => string;

  constructor(pool: pg.Pool, newToken: () => string) {
    this.#pool = pool;
    this.#newToken = newToken;
  }

  /** Records finished runs. They are due at once where their record is made, else once it is, or without it after the wait. Idempotent. */
  async recordFinished(runs: readonly RunFinished[], withoutRecordAfterSeconds: number): Promise<void> {
    const distinct = distinctRuns(runs);
    const values = [
      ...columnsOf(distinct),
      distinct.map((run) => Buffer.from(RunFinished.encode(run).finish())),
      withoutRecordAfterSeconds,
    ];
    const text = `
      INSERT INTO run_notifications AS n (run_id, workspace_id, project_id, finished, due)
      SELECT r.*, now() + make_interval(secs => $5) FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) AS r(run_id, workspace_id, project_id, event)
      WHERE NOT EXISTS (SELECT FROM deleted_projects d WHERE d.project_id = r.project_id)
      ON CONFLICT (run_id) DO UPDATE SET finished = EXCLUDED.finished, due = CASE WHEN n.ready IS NULL THEN EXCLUDED.due ELSE now() END
      WHERE n.finished IS NULL`;
    await retryWhileDatabaseUnavailable(() => this.#pool.query({ name: 'record-finished', text, values }), 20_000);
  }

  /** Records that records are made. The changes of a late one are still sent. Idempotent. */
  async recordReady(records: readonly ChangeReady[]): Promise<void> {
    const distinct = distinctRuns(records);
    const values = [...columnsOf(distinct), distinct.map((ready) => Buffer.from(ChangeReady.encode(ready).finish()))];
    const text = `
      INSERT INTO run_notifications AS n (run_id, workspace_id, project_id, ready)
      SELECT r.* FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) AS r(run_id, workspace_id, project_id, event)
      WHERE NOT EXISTS (SELECT FROM deleted_projects d WHERE d.project_id = r.project_id)
      ON CONFLICT (run_id) DO UPDATE SET ready = EXCLUDED.ready, due = CASE WHEN n.finished IS NULL THEN NULL ELSE now() END
      WHERE n.ready IS NULL`;
    await retryWhileDatabaseUnavailable(() => this.#pool.query({ name: 'record-ready', text, values }), 20_000);
  }

  /** Claims the run that has been due the longest. */
  async claim(): Promise<RunNotificationClaim | undefined> {
    const token = this.#newToken();
    const [row] = await QUEUE.claim(this.#pool, { owner: token, limit: 1 });
    if (row === undefined) return undefined;
    const { finished, is_ready: isReady, has_waited: hasWaited, ...claim } = row;
    return { ...claim, run: RunFinished.decode(finished), isReady, hasWaited, token };
  }

  /** Renews the lease. @returns false where another worker holds it */
  async renew({ run: { runId }, token }: RunNotificationClaim): Promise<boolean> {
    return (await QUEUE.renew(this.#pool, { owner: token, keys: [runId] })).has(runId);
  }

  /** Stores the digest that is sent, so that a retry sends the same one. Later results are discarded. */
  async storeDigest({ run: { runId }, token }: RunNotificationClaim, digestJson: string): Promise<void> {
    await STORE_DIGEST.changes(this.#pool, { run_id: runId, owner: token, digest: digestJson });
  }

  /** Stores the progress in the transaction of the messages. @returns false where another worker holds the lease: roll back */
  advance(client: pg.PoolClient, { run: { runId }, token }: RunNotificationClaim, place: number): Promise<boolean> {
    return ADVANCE.changes(client, { run_id: runId, owner: token, place });
  }

  /** Releases the claim at shutdown: it is due at once, and the attempt is not counted. */
  async release({ run: { runId }, token }: RunNotificationClaim): Promise<void> {
    await RELEASE.changes(this.#pool, { run_id: runId, owner: token, seconds: 0 });
  }

  /** Releases the claim after a failed attempt. */
  async retry({ run: { runId }, token, attempts }: RunNotificationClaim): Promise<void> {
    const seconds = retrySeconds(QUEUE.policy, attempts);
    await RETRY.changes(this.#pool, { run_id: runId, owner: token, seconds });
  }

  /** Postpones a run's notification until its digest is stored, or until `seconds` after the first wait. */
  async waitForDigest({ run: { runId }, token }: RunNotificationClaim, seconds: number): Promise<void> {
    await WAIT_FOR_DIGEST.changes(this.#pool, { run_id: runId, owner: token, seconds });
  }

  /** Completes the claim. The run is due again where its record was made meanwhile. */
  async end({ run: { runId }, isReady, token }: RunNotificationClaim): Promise<void> {
    await END.changes(this.#pool, { run_id: runId, owner: token, isReady });
  }

  /** Deletes the runs of deleted projects. */
  async deleteProjects(projectIds: readonly string[]): Promise<void> {
    const text = 'DELETE FROM run_notifications WHERE project_id = ANY($1)';
    await retryWhileDatabaseUnavailable(
      () => this.#pool.query({ name: 'forget-projects', text, values: [projectIds] }),
      20_000,
    );
  }

  /** Deletes expired rows. @returns how many of them were still due */
  async sweep(): Promise<number> {
    const { rows } = await this.#pool.query<{ unfinished: number }>(`
      WITH gone AS (DELETE FROM run_notifications WHERE noted_at < now() - interval '${KEPT_DAYS} days' RETURNING due)
      SELECT count(due)::int AS unfinished FROM gone`);
    return rows[0]?.unfinished ?? 0;
  }
}

interface OfRun {
  readonly runId: string;
  readonly workspaceId: string;
  readonly projectId: string;
}

const distinctRuns = <T extends OfRun>(events: readonly T[]): T[] => [
  ...new Map(events.map((event) => [event.runId, event])).values(),
];

const columnsOf = (events: readonly OfRun[]) => [
  events.map(({ runId }) => runId),
  events.map(({ workspaceId }) => workspaceId),
  events.map(({ projectId }) => projectId),
];
