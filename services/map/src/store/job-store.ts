import { codeOf } from '@tidemark/errors';
import {
  type ClaimedJob,
  type EarlierRequest,
  JOB_LEASE_SECONDS,
  type JobLeases,
  toEarlierRequest,
} from '@tidemark/jobs';
import { isPoison } from '@tidemark/leased-work';
import {
  insertEvents,
  inTransaction,
  type OutboxColumns,
  type OutgoingEvent,
  outboxColumns,
  retryWhileDatabaseUnavailable,
  type StoppedWorkspace,
  writeEvents,
} from '@tidemark/service';
import { column, literals, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { createsSnapshot, type JobStatus, type MapJob } from '../domain/job.ts';
import { JOB_TRANSITIONS } from '../domain/job-state.ts';
import { isComplete, type Method, type SiteFile } from '../domain/tree.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { toFile, toJob, traceOf } from './records.ts';
import { schema } from './tables.ts';

const UNIQUE_VIOLATION = '23505';

export interface NewJob {
  readonly job: MapJob;
  readonly trace: Readonly<Record<string, string>>;
  readonly idempotency: { readonly key: string; readonly requestHash: string } | undefined;
}

/** A job that is cancelled, as far as its event needs it. */
export type CancelledJob = Pick<MapJob, 'workspaceId' | 'projectId' | 'actorId' | 'chargeId'>;

export interface Progress {
  readonly id: string;
  readonly done: number;
  readonly total: number;
}

/** The request that a job is created for. */
interface RequestKey {
  readonly workspaceId: string;
  /** Undefined: the request has no idempotency key. */
  readonly key: string | undefined;
  readonly requestHash: string | undefined;
}

interface CreateValues extends RequestKey {
  readonly id: string;
  readonly chargeId: string;
  readonly url: string;
  readonly site: string;
  /** JSON. */
  readonly options: string;
  readonly requestId: string;
  /** JSON. */
  readonly trace: string;
  readonly owner: string;
  readonly createdAt: Date;
  readonly projectId: string;
  readonly actorId: string;
}

const RUNNING = sql.lit(JOB_TRANSITIONS.takeOver.to);
const LEASE = sql`now() + make_interval(secs => ${sql.lit(JOB_LEASE_SECONDS)})`;

const CREATE = schema.prepareText(
  'create-map',
  {},
  (job: Params<CreateValues>) => sql`
    WITH new_key AS (
      INSERT INTO idempotency_keys (workspace_id, key, request_hash, job_id)
      SELECT ${job.workspaceId}, ${job.key}, ${job.requestHash}, ${job.id} WHERE ${job.key}::text IS NOT NULL
      ON CONFLICT DO NOTHING RETURNING job_id
    )
    INSERT INTO jobs (id, workspace_id, charge_id, status, url, site, options, request_id, trace, owner, lease_until, attempts, created_at, project_id, actor_id)
    SELECT ${job.id}, ${job.workspaceId}, ${job.chargeId}, ${RUNNING}, ${job.url}, ${job.site}, ${job.options}::jsonb, ${job.requestId},
      ${job.trace}::jsonb, ${job.owner}, ${LEASE}, 1, ${job.createdAt}::timestamptz, ${job.projectId}, ${job.actorId}
    WHERE ${job.key}::text IS NULL OR EXISTS (SELECT FROM new_key)`,
);

const JOIN = schema.prepareText(
  'join-map',
  { id: column('text') },
  ({ workspaceId, projectId, key, requestHash }: Params<RequestKey & { readonly projectId: string }>) => sql`
    WITH running AS (
      SELECT id FROM jobs WHERE workspace_id = ${workspaceId} AND project_id = ${projectId} AND project_id <> '' AND status = ${RUNNING}
        AND options ->> 'forCrawl' IS DISTINCT FROM 'true'
    ), new_key AS (
      INSERT INTO idempotency_keys (workspace_id, key, request_hash, job_id)
      SELECT ${workspaceId}, ${key}, ${requestHash}, id FROM running WHERE ${key}::text IS NOT NULL
      ON CONFLICT DO NOTHING RETURNING job_id
    )
    SELECT id FROM running WHERE ${key}::text IS NULL OR EXISTS (SELECT FROM new_key)`,
);

/** The state in the first response to a request whose job has ended, where no response was sent before. */
const RESPOND = sql`UPDATE idempotency_keys k SET first_status = 'done' FROM ended WHERE k.job_id = ended.id AND k.first_status IS NULL`;

interface FinishValues extends OutboxColumns {
  readonly id: string;
  readonly owner: string;
  readonly status: JobStatus;
  readonly credits: number;
  readonly done: number;
  readonly total: number;
  readonly error: string | undefined;
  readonly stop: MapJob['stop'];
  readonly finishedAt: Date | undefined;
  readonly method: Method | '';
  /** JSON. */
  readonly totals: string;
  /** JSON. */
  readonly robots: string | undefined;
  readonly rows: number;
  readonly rowBlobs: readonly string[];
  /** JSON, of each file. */
  readonly files: readonly string[];
  readonly subdomains: boolean;
  readonly isComplete: boolean;
  readonly createsSnapshot: boolean;
}

const FINISH = schema.prepareText('finish-map', {}, (job: Params<FinishValues>) => {
  const { totals, robots, finishedAt } = job;
  return sql`
    WITH ended AS (
      UPDATE jobs SET status = ${job.status}, credits = ${job.credits}, done = ${job.done}, total = ${job.total}, error = ${job.error},
        stop = ${job.stop}, finished_at = ${finishedAt}, method = ${job.method}, totals = ${totals}::jsonb, robots = ${robots}::jsonb,
        rows = ${job.rows}, row_blobs = ${job.rowBlobs}::text[], lease_until = NULL
      WHERE id = ${job.id} AND status = ${RUNNING} AND owner = ${job.owner} RETURNING id, workspace_id, project_id, site
    ), snapshot AS (
      INSERT INTO snapshots (id, workspace_id, project_id, site, subdomains, complete, totals, robots, taken_at, check_at)
      SELECT id, workspace_id, project_id, site, ${job.subdomains}, ${job.isComplete}, ${totals}::jsonb, ${robots}::jsonb, ${finishedAt},
        now() + interval '1 day'
      FROM ended WHERE ${job.createsSnapshot}::boolean
    ), tree AS (
      INSERT INTO files (job_id, number, workspace_id, file)
      SELECT ended.id, f.number, ended.workspace_id, f.file
      FROM ended, unnest(${job.files}::jsonb[]) WITH ORDINALITY AS f(file, number)
    ), events AS (
      ${insertEvents(job, 'ended')} ON CONFLICT DO NOTHING
    ), responded AS (
      ${RESPOND}
    )
    SELECT FROM ended`;
});

/** Workspaces: the values at each position of the lists. */
interface StoppedLists {
  readonly workspaceIds: readonly string[];
  readonly before: readonly (Date | null)[];
}

const CANCEL = schema.prepareText(
  'cancel-maps-of',
  {
    id: column('text'),
    workspaceId: column('text'),
    projectId: column('text'),
    actorId: column('text'),
    chargeId: column('text'),
  },
  ({ workspaceIds, before }: Params<StoppedLists>) => sql`
    WITH ended AS (
      UPDATE jobs j SET status = ${sql.lit(JOB_TRANSITIONS.cancel.to)}, finished_at = now(), lease_until = NULL
      FROM unnest(${workspaceIds}::text[], ${before}::timestamptz[]) AS s(workspace_id, before)
      WHERE j.workspace_id = s.workspace_id AND j.status IN (${literals(JOB_TRANSITIONS.cancel.from)}) AND (s.before IS NULL OR j.created_at < s.before)
      RETURNING j.id, j.workspace_id AS "workspaceId", j.project_id AS "projectId", j.actor_id AS "actorId", j.charge_id AS "chargeId"
    ), responded AS (
      ${RESPOND}
    )
    SELECT * FROM ended`,
);

/** Progress: the values at each position of the lists. */
interface ProgressLists {
  readonly owner: string;
  readonly ids: readonly string[];
  readonly done: readonly number[];
  readonly totals: readonly number[];
}

const RENEW = schema.prepareText(
  'renew-maps',
  { id: column('text') },
  ({ owner, ids, done, totals }: Params<ProgressLists>) => sql`
    UPDATE jobs j SET lease_until = ${LEASE}, done = greatest(j.done, p.done), total = greatest(j.total, p.total)
    FROM unnest(${ids}::text[], ${done}::int[], ${totals}::int[]) AS p(id, done, total)
    WHERE j.id = p.id AND j.owner = ${owner} AND j.status = ${RUNNING} RETURNING j.id`,
);

/**
 * Stores map jobs. Each state transition is `UPDATE … WHERE status = expected AND owner = …`, with the owner as fencing token, and writes
 * its events in the same statement.
 */
export class JobStore {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;
  readonly #leases: JobLeases;

  constructor(pool: pg.Pool, db: PrismaClient, leases: JobLeases) {
    this.#pool = pool;
    this.#db = db;
    this.#leases = leases;
  }

  /**
   * Creates a running job that this instance owns.
   * @returns key_taken if its idempotency key belongs to an earlier request; project_busy if a map of its project is running
   */
  async create(request: NewJob): Promise<'created' | 'key_taken' | 'project_busy'> {
    try {
      return (await this.#insert(request)) ? 'created' : 'key_taken';
    } catch (error) {
      // The unique index jobs_project_idx allows one running map per project.
      if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
      return 'project_busy';
    }
  }

  #insert({ job, trace, idempotency }: NewJob): Promise<boolean> {
    return CREATE.changesRow(this.#pool, {
      id: job.id,
      workspaceId: job.workspaceId,
      key: idempotency?.key,
      requestHash: idempotency?.requestHash,
      chargeId: job.chargeId,
      url: job.url,
      site: job.site,
      options: JSON.stringify(job.options),
      requestId: job.requestId,
      trace: JSON.stringify(trace),
      owner: this.#leases.owner,
      createdAt: job.createdAt,
      projectId: job.projectId,
      actorId: job.actorId,
    });
  }

  /**
   * Returns the running map of the request's project, and assigns the request's idempotency key to it.
   * @returns undefined if that map has ended or the key belongs to an earlier request
   */
  async joinRunning({ job: { workspaceId, projectId }, idempotency }: NewJob): Promise<MapJob | undefined> {
    const running = await JOIN.row(this.#pool, {
      workspaceId,
      projectId,
      key: idempotency?.key,
      requestHash: idempotency?.requestHash,
    });
    return running === undefined ? undefined : this.find(workspaceId, running.id);
  }

  /** Finishes a job with its files, snapshot and events. @returns false if this instance no longer owns the job */
  finish(job: MapJob, files: readonly SiteFile[], events: readonly OutgoingEvent[]): Promise<boolean> {
    const values: FinishValues = {
      ...outboxColumns(events),
      id: job.id,
      owner: this.#leases.owner,
      status: job.status,
      credits: job.credits,
      done: job.done,
      total: job.total,
      error: job.error,
      stop: job.stop,
      finishedAt: job.finishedAt,
      method: job.method ?? '',
      totals: JSON.stringify(job.totals),
      robots: job.robots && JSON.stringify(job.robots),
      rows: job.rows,
      rowBlobs: job.rowBlobs,
      files: files.map((file) => JSON.stringify(file)),
      subdomains: job.options.allowSubdomains,
      isComplete: isComplete(job.stop, files),
      createsSnapshot: createsSnapshot(job),
    };
    return retryWhileDatabaseUnavailable(() => FINISH.changesRow(this.#pool, values), 20_000);
  }

  /** Cancels the unfinished jobs of workspaces and writes the event of each in the same transaction. */
  async cancelOf(
    stopped: readonly StoppedWorkspace[],
    eventOf: (job: CancelledJob) => OutgoingEvent,
  ): Promise<{ id: string; event: OutgoingEvent }[]> {
    return inTransaction(this.#pool, async (client) => {
      const rows = await CANCEL.rows(client, {
        workspaceIds: stopped.map(({ workspaceId }) => workspaceId),
        before: stopped.map(({ before }) => before ?? null),
      });
      const cancelled = rows.map((job) => ({ id: job.id, event: eventOf(job) }));
      await writeEvents(
        client,
        cancelled.map(({ event }) => event),
      );
      return cancelled;
    });
  }

  /** Claims up to `limit` jobs whose lease has expired, except those of `except`. @returns them with the trace context of their request */
  async claimExpired(limit: number, except: readonly string[]): Promise<ClaimedJob<MapJob>[]> {
    const ids = await this.#leases.claimExpired(limit, except);
    if (ids.length === 0) return [];
    const records = await this.#db.job.findMany({ where: { id: { in: ids } } });
    return records.map((record) => ({
      job: toJob(record),
      isPoison: isPoison(record.attempts - 1),
      trace: traceOf(record),
    }));
  }

  /** Renews the leases of this instance's jobs and stores their progress. @returns the ids of the jobs that it still owns */
  async renew(progress: readonly Progress[]): Promise<Set<string>> {
    const rows = await RENEW.rows(this.#pool, {
      owner: this.#leases.owner,
      ids: progress.map(({ id }) => id),
      done: progress.map(({ done }) => done),
      totals: progress.map(({ total }) => total),
    });
    return new Set(rows.map((row) => row.id));
  }

  async find(workspaceId: string, id: string): Promise<MapJob | undefined> {
    const record = await this.#db.job.findFirst({ where: { id, workspaceId } });
    return record === null ? undefined : toJob(record);
  }

  /** Returns the files of a map in tree order. */
  async files(workspaceId: string, jobId: string): Promise<SiteFile[]> {
    const found = await this.#db.file.findMany({ where: { workspaceId, jobId }, orderBy: { number: 'asc' } });
    return found.map(({ file }) => toFile(file));
  }

  async findEarlier(workspaceId: string, key: string): Promise<EarlierRequest | undefined> {
    const found = await this.#db.idempotencyKey.findUnique({ where: { workspaceId_key: { workspaceId, key } } });
    return toEarlierRequest(found);
  }
}
