import { allowsProject, type Caller, type ProjectAccess, projectLimitOf } from '@tidemark/contracts';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { type OutgoingEvent, outboxColumns } from '@tidemark/service';
import type pg from 'pg';
import { CRAWL, RECRAWL, type Run, type RunOrder } from '../../domain/run/run.ts';
import { whyQueued } from '../../domain/run/run-log-text.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { logOf } from './run-log.ts';
import { toRun } from './run-record.ts';

export interface RunWebhook {
  readonly sealedUrl: Uint8Array;
  readonly events: readonly string[];
  readonly metadata: string;
  readonly sealedSecret: Uint8Array;
}

export interface NewRun {
  readonly order: RunOrder;
  /** The configuration the scope and options were resolved from; empty: none. */
  readonly configJson: string;
  /** Its settings that contain secrets. */
  readonly sealedSecrets: Uint8Array | undefined;
  /** The host the seed is known to redirect to. */
  readonly home: string | undefined;
  readonly webhook: RunWebhook | undefined;
  readonly idempotency: { readonly route: string; readonly key: string; readonly requestHash: string } | undefined;
  /** Events written with the run. */
  readonly outgoing: readonly OutgoingEvent[];
}

export interface RunFilter {
  readonly projectId: string;
  /** Empty: any status. */
  readonly status: string;
  /** Runs from before this one; empty: from the newest. */
  readonly before: string;
  readonly limit: number;
}

/** The runs a caller may access: those of its workspace, restricted to the projects of its key. */
type Reach = Pick<Caller, 'workspaceId' | 'access'>;

/** Returns the condition on the runs a caller may access: of these projects, or without a project. */
function seenBy(access: ProjectAccess) {
  const projects = projectLimitOf(access);
  return projects === undefined ? {} : { OR: [{ projectId: null }, { projectId: { in: [...projects] } }] };
}

/** Creates, reads, cancels, pauses and resumes runs for their workspaces. */
export class RunStore {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;

  constructor(pool: pg.Pool, db: PrismaClient) {
    this.#pool = pool;
    this.#db = db;
  }

  /** Writes a queued run. @returns false if its idempotency key belongs to an earlier request, or its project is deleted */
  async create({ order, configJson, sealedSecrets, home, webhook, idempotency, outgoing }: NewRun): Promise<boolean> {
    const outbox = outboxColumns(outgoing);
    const { rowCount } = await this.#pool.query({
      name: 'create-run',
      text: CREATE,
      values: [
        order.id,
        order.workspaceId,
        order.projectId ?? null,
        order.seed,
        JSON.stringify(Scope.toJSON(order.scope)),
        JSON.stringify(CaptureOptions.toJSON(order.options)),
        order.scope.maxPages,
        order.trigger,
        order.requestId,
        idempotency?.route ?? null,
        idempotency?.key ?? null,
        idempotency?.requestHash ?? null,
        webhook?.sealedUrl ?? null,
        webhook?.events ?? [],
        webhook?.metadata ?? null,
        webhook?.sealedSecret ?? null,
        order.createdAt,
        home ?? null,
        configJson,
        whyQueued(order.trigger, order.scope.urlList.length),
        outbox.ids,
        outbox.subjects,
        outbox.payloads,
        outbox.traces,
        outbox.awaiting,
        sealedSecrets ?? null,
        order.actorId,
        order.destinationId ?? null,
      ],
    });
    return (rowCount ?? 0) > 0;
  }

  async find({ workspaceId, access }: Reach, id: string): Promise<Run | undefined> {
    const row = await this.#db.run.findFirst({ where: { id, workspaceId, discarding: false, ...seenBy(access) } });
    return row === null ? undefined : toRun(row);
  }

  /** Returns the runs of a project, newest first; without a project, the crawls. */
  async list({ workspaceId, access }: Reach, { projectId, ...filter }: RunFilter): Promise<Run[]> {
    const { status, before, limit } = filter;
    if (projectId !== '' && !allowsProject(access, projectId)) return [];
    const of = projectId === '' ? { trigger: CRAWL, ...seenBy(access) } : { projectId };
    const rows = await this.#db.run.findMany({
      where: {
        workspaceId,
        ...of,
        discarding: false,
        ...(status === '' ? {} : { status }),
        ...(before === '' ? {} : { id: { lt: before } }),
      },
      orderBy: { id: 'desc' },
      take: limit,
    });
    return rows.map(toRun);
  }

  /** Returns the run that shows the present state of a project: the newest with coverage. */
  async present({ workspaceId, access }: Reach, projectId: string): Promise<Run | undefined> {
    if (projectId === '' || !allowsProject(access, projectId)) return undefined;
    const where = { workspaceId, projectId, discarding: false, hasCoverage: true };
    const row = await this.#db.run.findFirst({ where, orderBy: { id: 'desc' } });
    return row === null ? undefined : toRun(row);
  }

  /** Returns the run whose addresses are known for a project: the present one, or else the newest full run that has ended. */
  async lastFull(reach: Reach, projectId: string): Promise<Run | undefined> {
    const present = await this.present(reach, projectId);
    const { workspaceId, access } = reach;
    if (present !== undefined || projectId === '' || !allowsProject(access, projectId)) return present;
    const where = { workspaceId, projectId, discarding: false, cleanedUp: true, trigger: { not: RECRAWL } };
    const row = await this.#db.run.findFirst({ where, orderBy: { id: 'desc' } });
    return row === null ? undefined : toRun(row);
  }

  /** Returns the configuration a run was resolved from, empty if none was given, and its sealed secrets. */
  async configOf(no: bigint): Promise<{ readonly configJson: string; readonly secrets: Uint8Array | null }> {
    const select = { configJson: true, secrets: true };
    const found = await this.#db.runDetail.findUnique({ where: { runNo: no }, select });
    return found ?? { configJson: '', secrets: null };
  }

  /** Returns a run of any workspace, for orchestration. */
  async get(id: string): Promise<Run | undefined> {
    const row = await this.#db.run.findUnique({ where: { id } });
    return row === null ? undefined : toRun(row);
  }

  async findEarlier(
    workspaceId: string,
    route: string,
    key: string,
  ): Promise<{ runId: string; requestHash: string } | undefined> {
    const found = await this.#db.idempotencyKey.findUnique({
      where: { workspaceId_route_key: { workspaceId, route, key } },
      select: { runId: true, requestHash: true },
    });
    return found ?? undefined;
  }

  /** Returns the sealed secret of a run's webhook; undefined without a webhook. */
  async findWebhookSecret(workspaceId: string, id: string): Promise<Uint8Array | undefined> {
    const found = await this.#db.run.findFirst({ where: { id, workspaceId }, select: { webhookSecret: true } });
    return found?.webhookSecret ?? undefined;
  }

  /** Returns what started the unfinished run of a project; undefined if it has none. */
  async unfinishedTrigger(projectId: string): Promise<string | undefined> {
    const where = { projectId, status: { in: ['queued', 'running'] } };
    return (await this.#db.run.findFirst({ where, select: { trigger: true } }))?.trigger;
  }

  /** Cancels an unfinished run at once: results of its pages are rejected from then on. `why` is written to its log. */
  async cancel(workspaceId: string, id: string, why = 'cancelled by the owner'): Promise<void> {
    await this.#pool.query({
      name: 'cancel-run',
      text: `
        WITH moved AS (
          UPDATE runs SET status = 'cancelled', stop = 'cancelled', finished_at = now(), lease_until = now(), owner = NULL
          WHERE id = $1 AND workspace_id = $2 AND status IN ('queued', 'running') RETURNING no
        ) ${logOf('moved', `'cancelled'`, '$3')}`,
      values: [id, workspaceId, why],
    });
  }

  /**
   * Stops offers until the run is resumed; pages in flight end. The time limit is suspended meanwhile.
   * @returns the number of pauses of the run, with this one; undefined if it has ended
   */
  async pause(workspaceId: string, id: string): Promise<number | undefined> {
    const { rows } = await this.#pool.query<{ pauses: number }>({
      name: 'pause-run',
      text: `
        WITH moved AS (
          UPDATE runs SET paused = true, paused_at = now(), pauses = pauses + 1,
            pauses_returned = CASE WHEN in_flight = 0 THEN pauses + 1 ELSE pauses_returned END
          WHERE id = $1 AND workspace_id = $2 AND status IN ('queued', 'running') AND NOT paused RETURNING no, pauses
        ), logged AS (${logOf('moved', `'paused'`, `'nothing more is fetched until it is resumed'`)})
        SELECT pauses FROM moved
        UNION ALL SELECT pauses FROM runs WHERE id = $1 AND workspace_id = $2 AND status IN ('queued', 'running') AND paused`,
      values: [id, workspaceId],
    });
    return rows[0]?.pauses;
  }

  async resume(workspaceId: string, id: string): Promise<void> {
    await this.#pool.query({
      name: 'resume-run',
      text: `
        WITH moved AS (
          UPDATE runs SET paused = false, paused_at = NULL, deadline = deadline + (now() - paused_at)
          WHERE id = $1 AND workspace_id = $2 AND status IN ('queued', 'running') AND paused RETURNING no
        ) ${logOf('moved', `'resumed'`, `'it continues where it stopped'`)}`,
      values: [id, workspaceId],
    });
  }
}

/** Selects the earlier run that a new run builds on. FOR SHARE: a concurrent discard waits for the new run to commit, and then skips this one. */
const EARLIER = `has_coverage AND NOT expired AND NOT discarding ORDER BY no DESC LIMIT 1 FOR SHARE`;

const CREATE = `
  WITH fresh AS (
    INSERT INTO idempotency_keys (workspace_id, route, key, request_hash, run_id)
    SELECT $2, $10, $11, $12, $1 WHERE $11::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING run_id
  ), own AS (
    SELECT no FROM runs WHERE project_id = $3 AND workspace_id = $2 AND ${EARLIER}
  ), other AS (
    SELECT no FROM runs WHERE workspace_id = $2 AND seed = $4 AND NOT EXISTS (SELECT FROM own) AND ${EARLIER}
  ), made AS (
    INSERT INTO runs (id, workspace_id, project_id, seed, scope, options, max_pages, trigger, request_id, webhook_url, webhook_events,
      webhook_metadata, webhook_secret, created_at, home, earlier_no, actor_id, destination_id)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $13, $14, $15, $16, $17, $18, coalesce((SELECT no FROM own), (SELECT no FROM other)), $27, $28
    WHERE ($11::text IS NULL OR EXISTS (SELECT FROM fresh)) AND NOT EXISTS (SELECT FROM deleted_projects WHERE id = $3)
    RETURNING no
  ), detailed AS (
    INSERT INTO run_details (run_no, config_json, secrets) SELECT no, $19::text, $26::bytea FROM made WHERE $19::text <> ''
  ), published AS (
    INSERT INTO outbox (id, subject, payload, trace, awaiting)
    SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
    FROM made, unnest($21::text[], $22::text[], $23::bytea[], $24::jsonb[], $25::text[]) AS o(id, subject, payload, trace, awaiting)
    ON CONFLICT DO NOTHING
  )
  ${logOf('made', `'queued'`, '$20')}`;
