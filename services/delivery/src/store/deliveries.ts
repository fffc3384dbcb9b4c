import { allowsProject, type ProjectAccess, projectLimitOf } from '@tidemark/contracts';
import {
  anyOf,
  changeRows,
  column,
  listOf,
  type Params,
  type Query,
  type RowOf,
  type RowOfQuery,
  selectRows,
  sql,
  stateOf,
  unnest,
} from '@tidemark/sql';
import type pg from 'pg';
import type { DeliveryStatus } from '../domain/delivery.ts';
import { type AttemptBy, DELIVERY_TRANSITIONS } from '../domain/delivery.ts';
import { schema, tables } from './tables.ts';

/** The deliveries a caller may see: those of a workspace, or of some of its projects. */
export interface DeliveryScope {
  readonly workspaceId: string;
  /** Access to all projects includes the deliveries of jobs without a project. */
  readonly access: ProjectAccess;
}

/** Filters of a list. */
export interface DeliveryQuery {
  /** Undefined: any. */
  readonly projectId: string | undefined;
  /** Undefined: any. */
  readonly runId: string | undefined;
  /** Undefined: any. */
  readonly status: DeliveryStatus | undefined;
  /** The last id of the previous page; undefined: from the newest. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** Newest attempts returned per delivery: redeliveries are unlimited. */
const MAX_ATTEMPTS = 50;

const ATTEMPT_COLUMNS = {
  deliveryId: column('text'),
  number: column('int4'),
  at: column('timestamptz'),
  /** The address it was sent to, masked; empty: it was not sent, or is a mail. */
  url: column('text'),
  status: column('int4'),
  error: column('text'),
  durationMs: column('int4'),
  answer: column('text'),
  by: stateOf<AttemptBy>(),
};

/** One attempt in the log of a delivery. */
export type AttemptRow = Omit<Readonly<RowOf<typeof ATTEMPT_COLUMNS>>, 'deliveryId'>;

const ATTEMPTS_OF = schema.prepareText(
  'attempts-of',
  ATTEMPT_COLUMNS,
  ({ ids }: Params<{ readonly ids: readonly string[] }>) => sql`
    SELECT a.* FROM unnest(${ids}::text[]) AS d (id) CROSS JOIN LATERAL (
      SELECT delivery_id AS "deliveryId", number, at, url, status, error, duration_ms AS "durationMs", answer, by
      FROM attempts WHERE delivery_id = d.id ORDER BY number DESC LIMIT ${sql.lit(MAX_ATTEMPTS)}) a
    ORDER BY a."deliveryId", a.number`,
);

const DELIVERIES = tables
  .selectFrom('deliveries as d')
  .select([
    'd.id',
    'd.project_id as projectId',
    'd.run_id as runId',
    'd.event',
    'd.kind',
    'd.recipient',
    'd.host',
    'd.receiver_id as receiverId',
    'd.queue_key as queueKey',
    'd.is_test as isTest',
    'd.status',
    'd.attempts',
    'd.last_status as lastStatus',
    'd.last_error as lastError',
    sql<Date | null>`CASE WHEN d.status <> 'delivering' THEN d.next_at END`.as('nextAt'),
    'd.created_at as createdAt',
    'd.delivered_at as deliveredAt',
  ]);
type StoredDelivery = RowOfQuery<typeof DELIVERIES>;

/** A delivery with the log of its attempts. */
export interface DeliveryRow extends StoredDelivery {
  readonly log: readonly AttemptRow[];
}

/** An address that a delivery is moved to. */
export interface SealedAddress {
  readonly queueKey: string;
  readonly host: string;
  /** Sealed under the delivery's id. */
  readonly sealedUrl: Buffer;
}

const { redeliver } = DELIVERY_TRANSITIONS;

/** Selects the deliveries of the scope. */
function selectVisible({ workspaceId, access }: DeliveryScope) {
  const projects = projectLimitOf(access);
  return DELIVERIES.where('d.workspace_id', '=', workspaceId).$if(projects !== undefined, (visible) =>
    visible.where('d.project_id', '=', anyOf(projects ?? [])),
  );
}

/** Reads deliveries. Every query is limited to one workspace. */
export class Deliveries {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Lists deliveries with their attempts, newest first. */
  async list(scope: DeliveryScope, query: DeliveryQuery): Promise<readonly DeliveryRow[]> {
    const { projectId, runId, status, before, limit } = query;
    if (projectId !== undefined && !allowsProject(scope.access, projectId)) return [];
    const newest = DELIVERIES.where('d.workspace_id', '=', scope.workspaceId)
      .$if(before !== undefined, (older) => older.where('d.id', '<', before ?? null))
      .$if(status !== undefined, (inState) => inState.where(sql`d.status`, '=', status))
      .$if(runId !== undefined, (ofRun) => ofRun.where('d.run_id', '=', runId ?? ''))
      .orderBy('d.id', 'desc')
      .limit(limit);
    const visible = projectLimitOf(scope.access);
    if (projectId !== undefined) return this.#withLog(newest.where('d.project_id', '=', projectId));
    if (visible === undefined) return this.#withLog(newest);
    // The newest of each project, through its index.
    const ofProject = newest.where('d.project_id', '=', sql.ref<string>('p.id')).as('n');
    return this.#withLog(
      tables
        .selectFrom(unnest('p', { id: listOf(sql<readonly string[]>`${visible}`, 'text') }))
        .crossJoinLateral(() => ofProject)
        .selectAll('n')
        .orderBy('n.id', 'desc')
        .limit(limit),
    );
  }

  /** Lists the newest deliveries of one receiver. */
  async listOf(
    scope: DeliveryScope,
    receiverId: string,
    projectId: string,
    limit: number,
  ): Promise<readonly DeliveryRow[]> {
    return this.#withLog(
      DELIVERIES.where('d.workspace_id', '=', scope.workspaceId)
        .where('d.project_id', '=', projectId)
        .where('d.receiver_id', '=', receiverId)
        .orderBy('d.id', 'desc')
        .limit(limit),
    );
  }

  /** Returns a delivery by id; undefined outside the scope. */
  find(scope: DeliveryScope, id: string): Promise<DeliveryRow | undefined> {
    return this.#findBy('d.id', scope, id);
  }

  /** Returns a delivery by its idempotency key; undefined outside the scope. */
  findByKey(scope: DeliveryScope, key: string): Promise<DeliveryRow | undefined> {
    return this.#findBy('d.key', scope, key);
  }

  async #findBy(column: 'd.id' | 'd.key', scope: DeliveryScope, value: string): Promise<DeliveryRow | undefined> {
    const [row] = await this.#withLog(selectVisible(scope).where(column, '=', value));
    return row;
  }

  /**
   * Makes a delivery due now, unless it is being sent. A pending retry keeps its place in the schedule; otherwise the schedule restarts.
   * With `to` it is moved to this address. @returns false where it is being sent or outside the scope
   */
  async makeDue(scope: DeliveryScope, id: string, now: Date, to?: SealedAddress): Promise<boolean> {
    const projects = projectLimitOf(scope.access);
    const changed = await changeRows(
      this.#pool,
      tables
        .updateTable('deliveries')
        .set({
          status: redeliver.to,
          by: 'redeliver',
          next_at: now,
          owner: null,
          tries: sql<number>`CASE WHEN status = 'retrying' THEN tries ELSE 0 END`,
        })
        .$if(to !== undefined, (moved) => moved.set({ queue_key: to?.queueKey, host: to?.host, url: to?.sealedUrl }))
        .where('id', '=', id)
        .where('workspace_id', '=', scope.workspaceId)
        .where('status', 'in', redeliver.from)
        .$if(projects !== undefined, (visible) => visible.where('project_id', '=', anyOf(projects ?? []))),
    );
    return changed === 1;
  }

  /** Reads deliveries, and the attempts of each. */
  async #withLog(query: Query<StoredDelivery>): Promise<readonly DeliveryRow[]> {
    const rows = await selectRows(this.#pool, query);
    if (rows.length === 0) return [];
    const attempts = await ATTEMPTS_OF.rows(this.#pool, { ids: rows.map(({ id }) => id) });
    const logs = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
    return rows.map((row) => ({ ...row, log: logs.get(row.id) ?? [] }));
  }
}
