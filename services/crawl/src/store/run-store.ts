import type { Caller } from '@tidemark/contracts';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import type pg from 'pg';
import type { Run, RunOrder } from '../domain/run.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { toRun } from './run-record.ts';

export interface RunWebhook {
  readonly url: string;
  readonly events: readonly string[];
  readonly metadata: string;
  readonly sealedSecret: Uint8Array;
}

export interface NewRun {
  readonly order: RunOrder;
  readonly webhook: RunWebhook | undefined;
  readonly idempotency: { readonly route: string; readonly key: string; readonly requestHash: string } | undefined;
}

export interface RunFilter {
  readonly projectId: string;
  /** Empty: whatever their status. */
  readonly status: string;
  /** Runs from before this one; empty: from the newest. */
  readonly before: string;
  readonly limit: number;
}

/** What a caller may see: its workspace's runs, and of projects only those its key is for. */
type Reach = Pick<Caller, 'workspaceId' | 'projects'>;

/** Runs as their owners' workspaces see and steer them. */
export class RunStore {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;

  constructor(pool: pg.Pool, db: PrismaClient) {
    this.#pool = pool;
    this.#db = db;
  }

  /** Writes a run that waits. @returns false where its idempotency key belongs to an earlier request, or its project is deleted */
  async create({ order, webhook, idempotency }: NewRun): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'create-run',
      text: `
        WITH fresh AS (
          INSERT INTO idempotency_keys (workspace_id, route, key, request_hash, run_id)
          SELECT $2, $10, $11, $12, $1 WHERE $11::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING run_id
        )
        INSERT INTO runs (id, workspace_id, project_id, seed, scope, options, max_pages, trigger, request_id, webhook_url, webhook_events,
          webhook_metadata, webhook_secret, created_at, earlier_no)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $13, $14, $15, $16, $17,
          (SELECT max(no) FROM runs WHERE workspace_id = $2 AND seed = $4 AND status = 'done')
        WHERE ($11::text IS NULL OR EXISTS (SELECT FROM fresh)) AND NOT EXISTS (SELECT FROM deleted_projects WHERE id = $3)`,
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
        webhook?.url ?? null,
        webhook?.events ?? [],
        webhook?.metadata ?? null,
        webhook?.sealedSecret ?? null,
        order.createdAt,
      ],
    });
    return (rowCount ?? 0) > 0;
  }

  async find({ workspaceId, projects }: Reach, id: string): Promise<Run | undefined> {
    const seen = projects.length === 0 ? {} : { OR: [{ projectId: null }, { projectId: { in: [...projects] } }] };
    const row = await this.#db.run.findFirst({ where: { id, workspaceId, ...seen } });
    return row === null ? undefined : toRun(row);
  }

  /** The runs of a project, newest first. */
  async list({ workspaceId, projects }: Reach, { projectId, status, before, limit }: RunFilter): Promise<Run[]> {
    if (projects.length > 0 && !projects.includes(projectId)) return [];
    const rows = await this.#db.run.findMany({
      where: {
        workspaceId,
        projectId,
        ...(status === '' ? {} : { status }),
        ...(before === '' ? {} : { id: { lt: before } }),
      },
      orderBy: { id: 'desc' },
      take: limit,
    });
    return rows.map(toRun);
  }

  /** A run whoever's, for its conductor. */
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

  /** Ends a run that has not ended, from this moment on: no page of it is open any more. */
  async cancel(workspaceId: string, id: string): Promise<void> {
    await this.#pool.query({
      name: 'cancel-run',
      text: `
        UPDATE runs SET status = 'cancelled', stop = 'cancelled', finished_at = now(), lease_until = now(), owner = NULL
        WHERE id = $1 AND workspace_id = $2 AND status IN ('queued', 'running')`,
      values: [id, workspaceId],
    });
  }

  /** Offers nothing more until resumed; pages in flight end. The time limit stands still meanwhile. */
  async pause(workspaceId: string, id: string): Promise<void> {
    await this.#pool.query({
      name: 'pause-run',
      text: `UPDATE runs SET paused = true, paused_at = now() WHERE id = $1 AND workspace_id = $2 AND status IN ('queued', 'running') AND NOT paused`,
      values: [id, workspaceId],
    });
  }

  async resume(workspaceId: string, id: string): Promise<void> {
    await this.#pool.query({
      name: 'resume-run',
      text: `
        UPDATE runs SET paused = false, paused_at = NULL, deadline = deadline + (now() - paused_at)
        WHERE id = $1 AND workspace_id = $2 AND status IN ('queued', 'running') AND paused`,
      values: [id, workspaceId],
    });
  }

  /** Forgets keys older than a day. */
  async forgetOldKeys(): Promise<void> {
    await this.#db.idempotencyKey.deleteMany({ where: { createdAt: { lt: new Date(Date.now() - 86_400_000) } } });
  }
}
