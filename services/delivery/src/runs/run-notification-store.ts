import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { ChangeReady } from '@tidemark/contracts/diff/v1/events';
import { retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';

/** Lease of a claim, s. Must exceed the renewal interval. */
const LEASE_SECONDS = 30;
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
  /** Claims in a row that expired without progress. */
  readonly interrupted: number;
  /** Fencing token of this claim. */
  readonly token: string;
}

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
    const { rows } = await this.#pool.query<{
      finished: Buffer;
      is_ready: boolean;
      place: number;
      digest: string;
      has_waited: boolean;
      attempts: number;
      interrupted: number;
    }>({
      name: 'claim-run-notification',
      text: `
        UPDATE run_notifications SET owner = $1, lease_until = now() + make_interval(secs => $2), attempts = attempts + 1,
          interrupted = CASE WHEN lease_until IS NULL THEN 0 ELSE interrupted + 1 END
        WHERE run_id = (
          SELECT run_id FROM run_notifications WHERE due <= now() AND (lease_until IS NULL OR lease_until < now())
          ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING finished, ready IS NOT NULL AS is_ready, place, digest, coalesce(digest_until <= now(), false) AS has_waited, attempts, interrupted`,
      values: [token, LEASE_SECONDS],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    const { finished, is_ready: isReady, has_waited: hasWaited, ...claim } = row;
    return { ...claim, run: RunFinished.decode(finished), isReady, hasWaited, token };
  }

  /** Renews the lease. @returns false where another worker holds it */
  async renew({ run: { runId }, token }: RunNotificationClaim): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'renew-run-notification',
      text: 'UPDATE run_notifications SET lease_until = now() + make_interval(secs => $3) WHERE run_id = $1 AND owner = $2',
      values: [runId, token, LEASE_SECONDS],
    });
    return rowCount === 1;
  }

  /** Stores the digest that is sent, so that a retry sends the same one. Later results are discarded. */
  async storeDigest({ run: { runId }, token }: RunNotificationClaim, digestJson: string): Promise<void> {
    await this.#pool.query({
      name: 'store-digest',
      text: 'UPDATE run_notifications SET digest = $3 WHERE run_id = $1 AND owner = $2',
      values: [runId, token, digestJson],
    });
  }

  /** Stores the progress in the transaction of the messages. @returns false where another worker holds the lease: roll back */
  async advance(
    client: pg.PoolClient,
    { run: { runId }, token }: RunNotificationClaim,
    place: number,
  ): Promise<boolean> {
    const { rowCount } = await client.query({
      name: 'advance-run-notification',
      text: `
        UPDATE run_notifications SET place = $3, attempts = 1, interrupted = 0, lease_until = now() + make_interval(secs => $4)
        WHERE run_id = $1 AND owner = $2`,
      values: [runId, token, place, LEASE_SECONDS],
    });
    return rowCount === 1;
  }

  /** Releases the claim until later. */
  async postpone({ run: { runId }, token }: RunNotificationClaim, seconds: number): Promise<void> {
    await this.#pool.query({
      name: 'postpone-run-notification',
      text: `
        UPDATE run_notifications SET owner = NULL, lease_until = NULL, due = now() + make_interval(secs => $3)
        WHERE run_id = $1 AND owner = $2`,
      values: [runId, token, seconds],
    });
  }

  /** Completes the claim. The run is due again where its record was made meanwhile. */
  async end({ run: { runId }, isReady, token }: RunNotificationClaim): Promise<void> {
    await this.#pool.query({
      name: 'end-run-notification',
      text: `
        UPDATE run_notifications SET owner = NULL, lease_until = NULL, due = CASE WHEN ready IS NOT NULL AND NOT $3::bool THEN now() END
        WHERE run_id = $1 AND owner = $2`,
      values: [runId, token, isReady],
    });
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
