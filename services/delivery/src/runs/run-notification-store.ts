import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { ChangeReady } from '@tidemark/contracts/diff/v1/events';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue, retrySeconds } from '@tidemark/leased-work';
import { retryWhileDatabaseUnavailable } from '@tidemark/service';
import { anyOf, column, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from '../store/tables.ts';

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

const QUEUE = new LeasedQueue({
  schema,
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
  columns: {
    finished: column('bytea'),
    is_ready: column('bool'),
    place: column('int4'),
    digest: column('text'),
    has_waited: column('bool'),
    attempts: column('int4'),
    interruptions: column('int4'),
  },
  // A run is due only once its end is stored.
  returning: sql`coalesce(finished, '') AS finished, ready IS NOT NULL AS is_ready, place, digest,
    coalesce(digest_until <= now(), false) AS has_waited, attempts, interrupted AS interruptions`,
});
const STORE_DIGEST = QUEUE.update(
  'store-digest',
  ({ digest }: Params<{ readonly digest: string }>) => sql`digest = ${digest}`,
);
const ADVANCE = QUEUE.progress(
  'advance-run-notification',
  ({ place }: Params<{ readonly place: number }>) => sql`place = ${place}, attempts = 1`,
);
const RELEASE = QUEUE.postpone('release-run-notification');
const RETRY = QUEUE.retry('retry-run-notification');
const END = QUEUE.release('end-run-notification', {
  dueAt: ({ isReady }: Params<{ readonly isReady: boolean }>) =>
    sql`CASE WHEN ready IS NOT NULL AND NOT ${isReady}::bool THEN now() END`,
  isCounted: true,
});

const digestUntil = ({ seconds }: Params<{ readonly seconds: number }>) =>
  sql`coalesce(digest_until, now() + make_interval(secs => ${seconds}))`;
/** The notification is due at `digest_until`, which the first wait sets. */
const WAIT_FOR_DIGEST = QUEUE.release('wait-for-digest', {
  dueAt: digestUntil,
  isCounted: false,
  set: (values: Params<{ readonly seconds: number }>) => sql`digest_until = ${digestUntil(values)}`,
});

/** Lists of equal length, with one value for each event of a run. */
interface RunLists {
  readonly runIds: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly projectIds: readonly string[];
  /** The events as proto bytes. */
  readonly events: readonly Buffer[];
}

/** Lists the runs of projects that are not deleted. */
const fromRuns = ({ runIds, workspaceIds, projectIds, events }: Params<RunLists>) => sql`
  FROM unnest(${runIds}::text[], ${workspaceIds}::text[], ${projectIds}::text[], ${events}::bytea[]) AS r(run_id, workspace_id, project_id, event)
  WHERE NOT EXISTS (SELECT FROM deleted_projects d WHERE d.project_id = r.project_id)`;

const RECORD_FINISHED = schema.prepareText(
  'record-finished',
  {},
  (values: Params<RunLists & { readonly afterSeconds: number }>) => sql`
    INSERT INTO run_notifications AS n (run_id, workspace_id, project_id, finished, due)
    SELECT r.*, now() + make_interval(secs => ${values.afterSeconds}) ${fromRuns(values)}
    ON CONFLICT (run_id) DO UPDATE SET finished = EXCLUDED.finished, due = CASE WHEN n.ready IS NULL THEN EXCLUDED.due ELSE now() END
    WHERE n.finished IS NULL`,
);

const RECORD_READY = schema.prepareText(
  'record-ready',
  {},
  (values: Params<RunLists>) => sql`
    INSERT INTO run_notifications AS n (run_id, workspace_id, project_id, ready)
    SELECT r.* ${fromRuns(values)}
    ON CONFLICT (run_id) DO UPDATE SET ready = EXCLUDED.ready, due = CASE WHEN n.finished IS NULL THEN NULL ELSE now() END
    WHERE n.ready IS NULL`,
);

const DELETE_PROJECTS = schema.prepare(
  'delete-notifications-of-projects',
  ({ projectIds }: Params<{ readonly projectIds: readonly string[] }>) =>
    tables.deleteFrom('run_notifications').where('project_id', '=', anyOf(projectIds)),
);

const SWEEP = schema.prepareText(
  'sweep-run-notifications',
  { unfinished: column('int4') },
  () => sql`
    WITH gone AS (
      DELETE FROM run_notifications WHERE noted_at < now() - make_interval(days => ${sql.lit(KEPT_DAYS)}) RETURNING due
    )
    SELECT count(due)::int AS unfinished FROM gone`,
);

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
    const lists = listsOf(runs, (run) => RunFinished.encode(run).finish());
    const afterSeconds = withoutRecordAfterSeconds;
    await retryWhileDatabaseUnavailable(() => RECORD_FINISHED.change(this.#pool, { ...lists, afterSeconds }), 20_000);
  }

  /** Records that records are made. The changes of a late one are still sent. Idempotent. */
  async recordReady(records: readonly ChangeReady[]): Promise<void> {
    const lists = listsOf(records, (ready) => ChangeReady.encode(ready).finish());
    await retryWhileDatabaseUnavailable(() => RECORD_READY.change(this.#pool, lists), 20_000);
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
    await STORE_DIGEST.changesRow(this.#pool, { run_id: runId, owner: token, digest: digestJson });
  }

  /** Stores the progress in the transaction of the messages. @returns false where another worker holds the lease: roll back */
  advance(client: pg.PoolClient, { run: { runId }, token }: RunNotificationClaim, place: number): Promise<boolean> {
    return ADVANCE.changesRow(client, { run_id: runId, owner: token, place });
  }

  /** Releases the claim at shutdown: it is due at once, and the attempt is not counted. */
  async release({ run: { runId }, token }: RunNotificationClaim): Promise<void> {
    await RELEASE.changesRow(this.#pool, { run_id: runId, owner: token, seconds: 0 });
  }

  /** Releases the claim after a failed attempt. */
  async retry({ run: { runId }, token, attempts }: RunNotificationClaim): Promise<void> {
    const seconds = retrySeconds(QUEUE.policy, attempts);
    await RETRY.changesRow(this.#pool, { run_id: runId, owner: token, seconds });
  }

  /** Postpones a run's notification until its digest is stored, or until `seconds` after the first wait. */
  async waitForDigest({ run: { runId }, token }: RunNotificationClaim, seconds: number): Promise<void> {
    await WAIT_FOR_DIGEST.changesRow(this.#pool, { run_id: runId, owner: token, seconds });
  }

  /** Completes the claim. The run is due again where its record was made meanwhile. */
  async end({ run: { runId }, isReady, token }: RunNotificationClaim): Promise<void> {
    await END.changesRow(this.#pool, { run_id: runId, owner: token, isReady });
  }

  /** Deletes the runs of deleted projects. */
  async deleteProjects(projectIds: readonly string[]): Promise<void> {
    await retryWhileDatabaseUnavailable(() => DELETE_PROJECTS.change(this.#pool, { projectIds }), 20_000);
  }

  /** Deletes expired rows. @returns how many of them were still due */
  async sweep(): Promise<number> {
    return (await SWEEP.row(this.#pool, {}))?.unfinished ?? 0;
  }
}

interface OfRun {
  readonly runId: string;
  readonly workspaceId: string;
  readonly projectId: string;
}

/** Returns the lists of the latest event of each run. */
function listsOf<T extends OfRun>(events: readonly T[], encode: (event: T) => Uint8Array): RunLists {
  const distinct = [...new Map(events.map((event) => [event.runId, event])).values()];
  return {
    runIds: distinct.map(({ runId }) => runId),
    workspaceIds: distinct.map(({ workspaceId }) => workspaceId),
    projectIds: distinct.map(({ projectId }) => projectId),
    events: distinct.map((event) => Buffer.from(encode(event))),
  };
}
