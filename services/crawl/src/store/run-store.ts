import { facts } from '@tidemark/contracts';
import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { outboxColumns, outgoing } from '@tidemark/service';
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

const DISCARD_AT_ONCE = 10_000;

/** Runs as their owners' workspaces see and steer them. */
export class RunStore {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;

  constructor(pool: pg.Pool, db: PrismaClient) {
    this.#pool = pool;
    this.#db = db;
  }

  /** Writes a run that waits. @returns false where its idempotency key belongs to an earlier request */
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
        WHERE $11::text IS NULL OR EXISTS (SELECT FROM fresh)`,
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

  async find(workspaceId: string, id: string): Promise<Run | undefined> {
    const row = await this.#db.run.findFirst({ where: { id, workspaceId } });
    return row === null ? undefined : toRun(row);
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

  /**
   * Discards one run without a project that ended long enough ago, with its frontier, and tells it; not one that a run under way
   * still builds on. @returns whether there was one
   */
  async discardOld(afterHours: number): Promise<boolean> {
    const { rows } = await this.#pool.query<{ no: string; id: string; workspace_id: string }>({
      name: 'find-old-run',
      text: `
        SELECT no, id, workspace_id FROM runs r WHERE project_id IS NULL AND tidied AND finished_at < now() - make_interval(hours => $1)
          AND NOT EXISTS (SELECT FROM runs n WHERE NOT n.tidied AND n.earlier_no = r.no)
        ORDER BY finished_at LIMIT 1`,
      values: [afterHours],
    });
    const [run] = rows;
    if (run === undefined) return false;
    for (let left = DISCARD_AT_ONCE; left === DISCARD_AT_ONCE; ) {
      const { rowCount } = await this.#pool.query({
        name: 'discard-pages',
        text: 'DELETE FROM frontier WHERE run_no = $1 AND url_key IN (SELECT url_key FROM frontier WHERE run_no = $1 LIMIT $2)',
        values: [run.no, DISCARD_AT_ONCE],
      });
      left = rowCount ?? 0;
    }
    await this.#discard(run.no, { runId: run.id, workspaceId: run.workspace_id });
    return true;
  }

  /** The run goes and is told in one statement, so that what others keep of it goes too, whoever dies. The outbox's sweep sends it. */
  async #discard(no: string, run: RunDiscarded): Promise<void> {
    const told = outboxColumns([outgoing(facts.runDiscarded, `discarded:${run.runId}`, run)], facts);
    await this.#pool.query({
      name: 'discard-run',
      text: `
        WITH gone AS (DELETE FROM runs WHERE no = $1 AND project_id IS NULL RETURNING no)
        INSERT INTO outbox (id, subject, payload, trace, awaiting)
        SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
        FROM gone, unnest($2::text[], $3::text[], $4::bytea[], $5::jsonb[], $6::text[]) AS o(id, subject, payload, trace, awaiting)
        ON CONFLICT DO NOTHING`,
      values: [no, told.ids, told.subjects, told.payloads, told.traces, told.awaiting],
    });
  }
}
