import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import {
  type ClaimedJob,
  type EarlierRequest,
  JOB_LEASE_SECONDS,
  type JobLeases,
  toEarlierRequest,
} from '@tidemark/jobs';
import { isPoison } from '@tidemark/leased-work';
import {
  Coalescer,
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
import type { ScrapeJob } from '../domain/job.ts';
import { JOB_TRANSITIONS, OPEN_STATES } from '../domain/job-state.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { batchEnded } from './batch-ended.ts';
import { toJob, traceOf } from './job-record.ts';
import { schema } from './tables.ts';

export interface NewJob {
  readonly job: ScrapeJob;
  readonly trace: Readonly<Record<string, string>>;
  readonly idempotency: { readonly route: string; readonly key: string; readonly requestHash: string } | undefined;
}

interface FinishedJob {
  readonly job: ScrapeJob;
  readonly messages: readonly OutgoingEvent[];
}

interface CreateValues {
  readonly owner: string;
  /** Jobs: the values at each position of the lists. */
  readonly ids: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly captureIds: readonly string[];
  readonly urls: readonly string[];
  /** JSON. */
  readonly options: readonly string[];
  readonly requestIds: readonly string[];
  /** JSON. */
  readonly traces: readonly string[];
  readonly routes: readonly (string | null)[];
  readonly keys: readonly (string | null)[];
  readonly requestHashes: readonly (string | null)[];
  readonly createdAt: readonly Date[];
  readonly kinds: readonly string[];
  readonly actorIds: readonly string[];
  readonly destinationIds: readonly (string | null)[];
}

const RUNNING = sql.lit(JOB_TRANSITIONS.start.to);
const IS_OPEN = sql`status IN (${literals(OPEN_STATES)})`;

const CREATE = schema.prepareText(
  'create-jobs',
  { id: column('text') },
  (v: Params<CreateValues>) => sql`
    WITH requested AS (
      SELECT * FROM unnest(${v.ids}::text[], ${v.workspaceIds}::text[], ${v.captureIds}::text[], ${v.urls}::text[], ${v.options}::jsonb[],
        ${v.requestIds}::text[], ${v.traces}::jsonb[], ${v.routes}::text[], ${v.keys}::text[], ${v.requestHashes}::text[], ${v.createdAt}::timestamptz[],
        ${v.kinds}::text[], ${v.actorIds}::text[], ${v.destinationIds}::text[])
        AS j(id, workspace_id, capture_id, url, options, request_id, trace, route, key, request_hash, created_at, kind, actor_id, destination_id)
    ), fresh AS (
      INSERT INTO idempotency_keys (workspace_id, route, key, request_hash, job_id)
      SELECT workspace_id, route, key, request_hash, id FROM requested WHERE key IS NOT NULL
      ON CONFLICT DO NOTHING RETURNING job_id
    )
    INSERT INTO jobs (id, workspace_id, capture_id, kind, status, url, options, request_id, trace, owner, lease_until, attempts, created_at,
      actor_id, destination_id)
    SELECT id, workspace_id, capture_id, kind, ${RUNNING}, url, options, request_id, trace, ${v.owner},
      now() + make_interval(secs => ${sql.lit(JOB_LEASE_SECONDS)}), 1, created_at, actor_id, destination_id
    FROM requested WHERE key IS NULL OR id IN (SELECT job_id FROM fresh)
    RETURNING id`,
);

/** The state in the first response to a request whose job has ended, where no response was sent before. */
const RESPOND = sql`UPDATE idempotency_keys k SET first_status = 'done' FROM ended WHERE k.job_id = ended.id AND k.first_status IS NULL`;

interface FinishValues extends OutboxColumns {
  readonly owner: string;
  /** Jobs: the values at each position of the lists. */
  readonly jobIds: readonly string[];
  readonly statuses: readonly string[];
  readonly credits: readonly number[];
  readonly pages: readonly number[];
  readonly errors: readonly (string | null)[];
  readonly finishedAt: readonly (Date | null)[];
  /** The job of each event. */
  readonly causes: readonly string[];
}

const FINISH = schema.prepareText(
  'finish-jobs',
  { id: column('text') },
  (v: Params<FinishValues>) => sql`
    WITH ended AS (
      UPDATE jobs j SET status = f.status, credits = f.credits, pages = f.pages, error = f.error, finished_at = f.finished_at, lease_until = NULL
      FROM unnest(${v.jobIds}::text[], ${v.statuses}::text[], ${v.credits}::int[], ${v.pages}::int[], ${v.errors}::text[], ${v.finishedAt}::timestamptz[])
        AS f(id, status, credits, pages, error, finished_at)
      WHERE j.id = f.id AND j.status = ${RUNNING} AND j.owner = ${v.owner}
      RETURNING j.id
    ), written AS (
      INSERT INTO outbox (id, subject, payload, trace, awaiting)
      SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
      FROM unnest(${v.causes}::text[], ${v.ids}::text[], ${v.subjects}::text[], ${v.payloads}::bytea[], ${v.traces}::jsonb[], ${v.awaiting}::text[])
        AS o(job_id, id, subject, payload, trace, awaiting)
      JOIN ended ON ended.id = o.job_id
      ON CONFLICT DO NOTHING
    ), responded AS (
      ${RESPOND}
    )
    SELECT id FROM ended`,
);

const CANCEL = schema.prepareText(
  'cancel-job',
  { id: column('text') },
  ({ id, workspaceId }: Params<Pick<ScrapeJob, 'id' | 'workspaceId'>>) => sql`
    WITH ended AS (
      UPDATE jobs SET status = ${sql.lit(JOB_TRANSITIONS.cancel.to)}, finished_at = now(), lease_until = NULL
      WHERE id = ${id} AND workspace_id = ${workspaceId} AND ${IS_OPEN} RETURNING id
    ), responded AS (
      ${RESPOND}
    )
    SELECT id FROM ended`,
);

/** Workspaces: the values at each position of the lists. */
interface StoppedLists {
  readonly workspaceIds: readonly string[];
  readonly before: readonly (Date | null)[];
}

const UNFINISHED = schema.prepareText(
  'unfinished-jobs-of',
  { id: column('text'), workspaceId: column('text') },
  ({ workspaceIds, before }: Params<StoppedLists>) => sql`
    SELECT j.id, j.workspace_id AS "workspaceId" FROM jobs j
    JOIN unnest(${workspaceIds}::text[], ${before}::timestamptz[]) AS s(workspace_id, before) USING (workspace_id)
    WHERE j.${IS_OPEN} AND (s.before IS NULL OR j.created_at < s.before)`,
);

/**
 * Jobs as a state machine: each transition is `UPDATE … WHERE status = expected`, fenced by the owner, and writes its
 * events in the same statement. Concurrent transitions share a statement.
 */
export class JobStore {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;
  readonly #leases: JobLeases;
  readonly #inserts: Coalescer<NewJob, boolean>;
  readonly #finishes: Coalescer<FinishedJob, boolean>;

  constructor(pool: pg.Pool, db: PrismaClient, leases: JobLeases) {
    this.#pool = pool;
    this.#db = db;
    this.#leases = leases;
    this.#inserts = new Coalescer((jobs) => this.#insertMany(jobs));
    this.#finishes = new Coalescer((jobs) => retryWhileDatabaseUnavailable(() => this.#finishMany(jobs), 20_000));
  }

  /**
   * Inserts a running job of this instance.
   * @returns false if its idempotency key belongs to an earlier request
   */
  create(job: NewJob): Promise<boolean> {
    return this.#inserts.add(job);
  }

  async #insertMany(jobs: readonly NewJob[]): Promise<boolean[]> {
    const rows = await CREATE.rows(this.#pool, {
      owner: this.#leases.owner,
      ids: jobs.map(({ job }) => job.id),
      workspaceIds: jobs.map(({ job }) => job.workspaceId),
      captureIds: jobs.map(({ job }) => job.captureId),
      urls: jobs.map(({ job }) => job.url),
      options: jobs.map(({ job }) => JSON.stringify(CaptureOptions.toJSON(job.options))),
      requestIds: jobs.map(({ job }) => job.requestId),
      traces: jobs.map(({ trace }) => JSON.stringify(trace)),
      routes: jobs.map(({ idempotency }) => idempotency?.route ?? null),
      keys: jobs.map(({ idempotency }) => idempotency?.key ?? null),
      requestHashes: jobs.map(({ idempotency }) => idempotency?.requestHash ?? null),
      createdAt: jobs.map(({ job }) => job.createdAt),
      kinds: jobs.map(({ job }) => job.kind),
      actorIds: jobs.map(({ job }) => job.actorId),
      destinationIds: jobs.map(({ job }) => job.destinationId ?? null),
    });
    const made = new Set(rows.map((row) => row.id));
    return jobs.map(({ job }) => made.has(job.id));
  }

  /**
   * Completes a job of this instance and writes its events.
   * @returns false if the job is no longer held by this instance: cancelled, or reassigned
   */
  finish(job: ScrapeJob, messages: readonly OutgoingEvent[]): Promise<boolean> {
    return this.#finishes.add({ job, messages });
  }

  async #finishMany(finished: readonly FinishedJob[]): Promise<boolean[]> {
    const jobs = finished.map(({ job }) => job);
    const events = finished.flatMap(({ job, messages }) => messages.map((message) => ({ id: job.id, message })));
    const { ids, subjects, payloads, traces, awaiting } = outboxColumns(events.map(({ message }) => message));
    const rows = await FINISH.rows(this.#pool, {
      owner: this.#leases.owner,
      jobIds: jobs.map((job) => job.id),
      statuses: jobs.map((job) => job.status),
      credits: jobs.map((job) => job.credits),
      pages: jobs.map((job) => job.pages),
      errors: jobs.map((job) => job.error ?? null),
      finishedAt: jobs.map((job) => job.finishedAt ?? null),
      causes: events.map(({ id }) => id),
      ids,
      subjects,
      payloads,
      traces,
      awaiting,
    });
    const ended = new Set(rows.map((row) => row.id));
    return jobs.map((job) => ended.has(job.id));
  }

  /**
   * Cancels a job and writes `events`, and those of the end of a batch, in the same transaction.
   * @returns the events that were written; undefined if the job had ended
   */
  cancel(
    { id, workspaceId, kind }: Pick<ScrapeJob, 'id' | 'workspaceId' | 'kind'>,
    events: readonly OutgoingEvent[],
  ): Promise<readonly OutgoingEvent[] | undefined> {
    return inTransaction(this.#pool, async (client) => {
      if (!(await CANCEL.changesRow(client, { id, workspaceId }))) return undefined;
      const written = kind === 'batch' ? [...events, ...(await batchEnded(client, id))] : events;
      await writeEvents(client, written);
      return written;
    });
  }

  /** Returns the unfinished jobs of workspaces, each that was created before `before` if that is given. */
  unfinishedOf(stopped: readonly StoppedWorkspace[]): Promise<{ id: string; workspaceId: string }[]> {
    return UNFINISHED.rows(this.#pool, {
      workspaceIds: stopped.map(({ workspaceId }) => workspaceId),
      before: stopped.map(({ before }) => before ?? null),
    });
  }

  /**
   * Claims jobs whose lease has expired, except `except`.
   * @returns the claimed jobs, with the trace of each
   */
  async takeOver(limit: number, except: readonly string[]): Promise<ClaimedJob<ScrapeJob>[]> {
    const ids = await this.#leases.claimExpired(limit, except);
    if (ids.length === 0) return [];
    const records = await this.#db.job.findMany({ where: { id: { in: ids } } });
    return records.map((record) => ({
      job: toJob(record),
      isPoison: isPoison(record.attempts - 1),
      trace: traceOf(record),
    }));
  }

  async find(workspaceId: string, id: string): Promise<ScrapeJob | undefined> {
    const record = await this.#db.job.findFirst({ where: { id, workspaceId } });
    return record === null ? undefined : toJob(record);
  }

  /** Returns single pages and batches, newest first. `before`: an id, empty for the newest. `actorId` undefined: of every actor. */
  async list(
    workspaceId: string,
    {
      actorId,
      before,
      limit,
    }: { readonly actorId: string | undefined; readonly before: string; readonly limit: number },
  ): Promise<ScrapeJob[]> {
    const records = await this.#db.job.findMany({
      where: {
        workspaceId,
        kind: { in: ['scrape', 'batch'] },
        ...(actorId === undefined ? {} : { actorId }),
        ...(before === '' ? {} : { id: { lt: before } }),
      },
      orderBy: { id: 'desc' },
      take: limit,
    });
    return records.map(toJob);
  }

  async findEarlier(workspaceId: string, route: string, key: string): Promise<EarlierRequest | undefined> {
    const found = await this.#db.idempotencyKey.findUnique({
      where: { workspaceId_route_key: { workspaceId, route, key } },
    });
    return toEarlierRequest(found);
  }
}
