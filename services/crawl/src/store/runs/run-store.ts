import { type ALL_PROJECTS, actorLimitOf, allowsProject, type Caller, projectLimitOf } from '@tidemark/contracts';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import type { JobStatus } from '@tidemark/contracts/job/v1/job';
import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { readSettings, type Settings } from '@tidemark/project-config';
import { insertEvents, type OutgoingEvent, outboxColumns } from '@tidemark/service';
import { column, literals, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { CRAWL, RECRAWL, type Run, type RunOrder } from '../../domain/run/run.ts';
import { whyQueued } from '../../domain/run/run-log-text.ts';
import { OPEN_STATES, RUN_TRANSITIONS } from '../../domain/run/run-state.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { schema } from '../tables.ts';
import { logOf, logWords } from './run-log.ts';
import { toRun } from './run-record.ts';

export interface RunWebhook {
  readonly sealedUrl: Uint8Array;
  readonly events: readonly string[];
  readonly metadataJson: string | undefined;
  readonly sealedSecret: Uint8Array;
}

/** The configuration of a run as it is stored. */
export interface StoredConfig {
  /** Masked. */
  readonly config: Settings | undefined;
  /** Its settings that contain secrets. */
  readonly sealedSecrets: Uint8Array | undefined;
}

export interface NewRun {
  readonly order: RunOrder;
  /** The configuration the scope and options were resolved from. */
  readonly config: Settings | undefined;
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
  /** Undefined: crawls, which were started without a project. */
  readonly projectId: string | undefined;
  /** Undefined: any status. */
  readonly status: JobStatus | undefined;
  /** Runs from before this one; empty: from the newest. */
  readonly before: string;
  readonly limit: number;
}

/** Selects the earlier run that a new run builds on. FOR SHARE: a concurrent discard waits for the new run to commit, and then skips this one. */
const EARLIER = sql`has_coverage AND NOT expired AND NOT discarding ORDER BY no DESC LIMIT 1 FOR SHARE`;

interface CreateRunValues {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string | null;
  readonly seed: string;
  readonly scope: string;
  readonly options: string;
  readonly maxPages: number;
  readonly trigger: string;
  readonly requestId: string;
  readonly route: string | null;
  readonly key: string | null;
  readonly requestHash: string | null;
  readonly webhookUrl: Uint8Array | null;
  readonly webhookEvents: readonly string[];
  readonly webhookMetadata: string | null;
  readonly webhookSecret: Uint8Array | null;
  readonly createdAt: Date;
  readonly home: string | null;
  readonly configJson: string | null;
  readonly why: string;
  readonly ids: readonly string[];
  readonly subjects: readonly string[];
  readonly payloads: readonly Buffer[];
  readonly traces: readonly string[];
  readonly awaiting: readonly string[];
  readonly secrets: Uint8Array | null;
  readonly actorId: string;
  readonly destinationId: string | null;
}

const CREATE = schema.prepareText(
  'create-run',
  {},
  (v: Params<CreateRunValues>) => sql`
  WITH fresh AS (
    INSERT INTO idempotency_keys (workspace_id, route, key, request_hash, run_id)
    SELECT ${v.workspaceId}, ${v.route}, ${v.key}, ${v.requestHash}, ${v.id} WHERE ${v.key}::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING run_id
  ), own AS (
    SELECT no FROM runs WHERE project_id = ${v.projectId} AND workspace_id = ${v.workspaceId} AND ${EARLIER}
  ), other AS (
    SELECT no FROM runs WHERE workspace_id = ${v.workspaceId} AND seed = ${v.seed} AND NOT EXISTS (SELECT FROM own) AND ${EARLIER}
  ), made AS (
    INSERT INTO runs (id, workspace_id, project_id, seed, scope, options, max_pages, trigger, request_id, webhook_url, webhook_events,
  webhook_metadata, webhook_secret, created_at, home, earlier_no, actor_id, destination_id)
    SELECT ${v.id}, ${v.workspaceId}, ${v.projectId}, ${v.seed}, ${v.scope}::jsonb, ${v.options}::jsonb, ${v.maxPages}, ${v.trigger}, ${v.requestId}, ${v.webhookUrl}, ${v.webhookEvents}, ${v.webhookMetadata}, ${v.webhookSecret}, ${v.createdAt}, ${v.home}, coalesce((SELECT no FROM own), (SELECT no FROM other)), ${v.actorId}, ${v.destinationId}
    WHERE (${v.key}::text IS NULL OR EXISTS (SELECT FROM fresh)) AND NOT EXISTS (SELECT FROM deleted_projects WHERE id = ${v.projectId})
    RETURNING no
  ), detailed AS (
    INSERT INTO run_details (run_no, config_json, secrets) SELECT no, ${v.configJson}::text, ${v.secrets}::bytea FROM made WHERE ${v.configJson}::text IS NOT NULL
  ), published AS (
    ${insertEvents(v, 'made')} ON CONFLICT DO NOTHING
  )
  ${logOf('made', sql.lit('queued'), v.why)}`,
);

const CANCEL = schema.prepareText(
  'cancel-run',
  {},
  ({
    id,
    workspaceId,
    why,
  }: Params<{ readonly id: string; readonly workspaceId: string; readonly why: string }>) => sql`
    WITH moved AS (
      UPDATE runs SET status = ${sql.lit(RUN_TRANSITIONS.cancel.to)}, stop = 'cancelled', finished_at = now(), lease_until = now(), owner = NULL
      WHERE id = ${id} AND workspace_id = ${workspaceId} AND status IN (${literals(OPEN_STATES)}) RETURNING no
    ) ${logOf('moved', sql.lit('cancelled'), why)}`,
);

const PAUSE = schema.prepareText(
  'pause-run',
  { pauses: column('int4') },
  ({ id, workspaceId }: Params<{ readonly id: string; readonly workspaceId: string }>) => sql`
    WITH moved AS (
      UPDATE runs SET paused = true, paused_at = now(), pauses = pauses + 1,
        pauses_returned = CASE WHEN in_flight = 0 THEN pauses + 1 ELSE pauses_returned END
      WHERE id = ${id} AND workspace_id = ${workspaceId} AND status IN (${literals(OPEN_STATES)}) AND NOT paused RETURNING no, pauses
    ), logged AS (${logWords('moved', 'paused', 'nothing more is fetched until it is resumed')})
    SELECT pauses FROM moved
    UNION ALL SELECT pauses FROM runs WHERE id = ${id} AND workspace_id = ${workspaceId} AND status IN (${literals(OPEN_STATES)}) AND paused`,
);

const RESUME = schema.prepareText(
  'resume-run',
  {},
  ({ id, workspaceId }: Params<{ readonly id: string; readonly workspaceId: string }>) => sql`
    WITH moved AS (
      UPDATE runs SET paused = false, paused_at = NULL, deadline = deadline + (now() - paused_at)
      WHERE id = ${id} AND workspace_id = ${workspaceId} AND status IN (${literals(OPEN_STATES)}) AND paused RETURNING no
    ) ${logWords('moved', 'resumed', 'it continues where it stopped')}`,
);

/** The runs a caller may access: those of its workspace, restricted to the projects of its key; or every run of a workspace. */
type Reach = Caller | { readonly workspaceId: string; readonly access: typeof ALL_PROJECTS };

/** Returns the condition on the runs a caller may access: of its projects, or without a project and its own. */
function seenBy(caller: Reach) {
  const projects = projectLimitOf(caller.access);
  if (projects === undefined || !('kind' in caller)) return {};
  const actorId = actorLimitOf(caller);
  const own = { projectId: null, ...(actorId === undefined ? {} : { actorId }) };
  return { OR: [own, { projectId: { in: [...projects] } }] };
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
  async create({ order, config, sealedSecrets, home, webhook, idempotency, outgoing }: NewRun): Promise<boolean> {
    const outbox = outboxColumns(outgoing);
    const changed = await CREATE.change(this.#pool, {
      id: order.id,
      workspaceId: order.workspaceId,
      projectId: order.projectId ?? null,
      seed: order.seed,
      scope: JSON.stringify(Scope.toJSON(order.scope)),
      options: JSON.stringify(CaptureOptions.toJSON(order.options)),
      maxPages: order.scope.maxPages,
      trigger: order.trigger,
      requestId: order.requestId,
      route: idempotency?.route ?? null,
      key: idempotency?.key ?? null,
      requestHash: idempotency?.requestHash ?? null,
      webhookUrl: webhook?.sealedUrl ?? null,
      webhookEvents: webhook?.events ?? [],
      webhookMetadata: webhook?.metadataJson ?? null,
      webhookSecret: webhook?.sealedSecret ?? null,
      createdAt: order.createdAt,
      home: home ?? null,
      configJson: config === undefined ? null : JSON.stringify(config),
      why: whyQueued(order.trigger, order.scope.urlList.length),
      ids: outbox.ids,
      subjects: outbox.subjects,
      payloads: outbox.payloads,
      traces: outbox.traces,
      awaiting: outbox.awaiting,
      secrets: sealedSecrets ?? null,
      actorId: order.actorId,
      destinationId: order.destinationId ?? null,
    });
    return changed > 0;
  }

  async find(caller: Reach, id: string): Promise<Run | undefined> {
    const { workspaceId } = caller;
    const row = await this.#db.run.findFirst({ where: { id, workspaceId, discarding: false, ...seenBy(caller) } });
    return row === null ? undefined : toRun(row);
  }

  /** Returns the runs of a project, newest first; without a project, the crawls. */
  async list(caller: Reach, { projectId, ...filter }: RunFilter): Promise<Run[]> {
    const { workspaceId, access } = caller;
    const { status, before, limit } = filter;
    if (projectId !== undefined && !allowsProject(access, projectId)) return [];
    const of = projectId === undefined ? { trigger: CRAWL, ...seenBy(caller) } : { projectId };
    const rows = await this.#db.run.findMany({
      where: {
        workspaceId,
        ...of,
        discarding: false,
        ...(status === undefined ? {} : { status }),
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

  /** Returns the run whose URLs are known for a project: the present one, or else the newest full run that has ended. */
  async lastFull(reach: Reach, projectId: string): Promise<Run | undefined> {
    const present = await this.present(reach, projectId);
    const { workspaceId, access } = reach;
    if (present !== undefined || projectId === '' || !allowsProject(access, projectId)) return present;
    const where = { workspaceId, projectId, discarding: false, cleanedUp: true, trigger: { not: RECRAWL } };
    const row = await this.#db.run.findFirst({ where, orderBy: { id: 'desc' } });
    return row === null ? undefined : toRun(row);
  }

  /** Returns the configuration a run was resolved from, if one was given, and its sealed secrets. */
  async configOf(no: bigint): Promise<StoredConfig> {
    const select = { configJson: true, secrets: true };
    const found = await this.#db.runDetail.findUnique({ where: { runNo: no }, select });
    if (found === null || found.configJson === '') return { config: undefined, sealedSecrets: undefined };
    return { config: readSettings(JSON.parse(found.configJson)), sealedSecrets: found.secrets ?? undefined };
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
    await CANCEL.change(this.#pool, { id, workspaceId, why });
  }

  /**
   * Stops offers until the run is resumed; pages in flight end. The time limit is suspended meanwhile.
   * @returns the number of pauses of the run, with this one; undefined if it has ended
   */
  async pause(workspaceId: string, id: string): Promise<number | undefined> {
    const rows = await PAUSE.rows(this.#pool, { id, workspaceId });
    return rows[0]?.pauses;
  }

  async resume(workspaceId: string, id: string): Promise<void> {
    await RESUME.change(this.#pool, { id, workspaceId });
  }
}
