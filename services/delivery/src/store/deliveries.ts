import { allowsProject, type ProjectAccess, projectLimitOf } from '@tidemark/contracts';
import type pg from 'pg';
import type { AttemptBy, DeliveryStatus } from '../domain/delivery.ts';

/** The deliveries a caller may see: those of a workspace, or of some of its projects. */
export interface DeliveryScope {
  readonly workspaceId: string;
  /** Access to all projects includes the deliveries of jobs without a project. */
  readonly access: ProjectAccess;
}

/** Filters of a list. Empty strings match all. */
export interface DeliveryQuery {
  readonly projectId: string;
  readonly runId: string;
  readonly status: string;
  /** The last id of the previous page; empty: from the newest. */
  readonly before: string;
  readonly limit: number;
}

/** One attempt in the log of a delivery. */
export interface AttemptRow {
  readonly number: number;
  readonly at: Date;
  /** The address it was sent to, masked; empty: it was not sent, or is a mail. */
  readonly url: string;
  readonly status: number;
  readonly error: string;
  readonly durationMs: number;
  readonly answer: string;
  readonly by: AttemptBy;
}

/** A delivery with the log of its attempts. */
export interface DeliveryRow {
  readonly id: string;
  readonly projectId: string;
  readonly runId: string;
  readonly event: string;
  readonly kind: string;
  readonly recipient: string;
  readonly host: string;
  readonly receiverId: string;
  readonly queueKey: string;
  readonly isTest: boolean;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastStatus: number;
  readonly lastError: string;
  readonly nextAt: Date | null;
  readonly createdAt: Date;
  readonly deliveredAt: Date | null;
  readonly log: readonly AttemptRow[];
}

/** An address that a delivery is moved to. */
export interface SealedAddress {
  readonly queueKey: string;
  readonly host: string;
  /** Sealed under the delivery's id. */
  readonly sealedUrl: Buffer;
}

/** Newest attempts returned per delivery: redeliveries are unlimited. */
const MAX_ATTEMPTS = 50;

const COLUMNS = `
  d.id, d.project_id AS "projectId", d.run_id AS "runId", d.event, d.kind, d.recipient, d.receiver_id AS "receiverId", d.queue_key AS "queueKey", d.is_test AS "isTest", d.status, d.attempts,
  d.last_status AS "lastStatus", d.last_error AS "lastError", CASE WHEN d.status <> 'delivering' THEN d.next_at END AS "nextAt",
  d.created_at AS "createdAt", d.delivered_at AS "deliveredAt", d.host`;

/** Reads deliveries. Every query is limited to one workspace. */
export class Deliveries {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Lists deliveries with their attempts, newest first. */
  async list(scope: DeliveryScope, query: DeliveryQuery): Promise<readonly DeliveryRow[]> {
    const values: unknown[] = [scope.workspaceId, query.limit];
    const given = (value: unknown): string => `$${values.push(value)}`;
    const and = [
      ...(query.before === '' ? [] : [`d.id < ${given(query.before)}`]),
      ...(query.status === '' ? [] : [`d.status = ${given(query.status)}`]),
      ...(query.runId === '' ? [] : [`d.run_id = ${given(query.runId)}`]),
    ];
    const newest = (of: string) => `
      SELECT ${COLUMNS} FROM deliveries d WHERE ${['d.workspace_id = $1', of, ...and].filter((one) => one !== '').join(' AND ')}
      ORDER BY d.id DESC LIMIT $2`;
    if (query.projectId !== '' && !allowsProject(scope.access, query.projectId)) return [];
    const visible = projectLimitOf(scope.access);
    const text = (): string => {
      if (query.projectId !== '') return newest(`d.project_id = ${given(query.projectId)}`);
      if (visible === undefined) return newest('');
      // The newest of each project, through its index.
      const projects = given(visible);
      return `
        SELECT d.* FROM unnest(${projects}::text[]) AS p (id) CROSS JOIN LATERAL (${newest('d.project_id = p.id')}) d
        ORDER BY d.id DESC LIMIT $2`;
    };
    return this.#withLog((await this.#pool.query<Omit<DeliveryRow, 'log'>>(text(), values)).rows);
  }

  /** Lists the newest deliveries of one receiver. */
  async listOf(
    scope: DeliveryScope,
    receiverId: string,
    projectId: string,
    limit: number,
  ): Promise<readonly DeliveryRow[]> {
    const { rows } = await this.#pool.query<Omit<DeliveryRow, 'log'>>({
      name: 'deliveries-of-receiver',
      text: `
        SELECT ${COLUMNS} FROM deliveries d WHERE d.workspace_id = $1 AND d.project_id = $2 AND d.receiver_id = $3
        ORDER BY d.id DESC LIMIT $4`,
      values: [scope.workspaceId, projectId, receiverId, limit],
    });
    return this.#withLog(rows);
  }

  /** Returns a delivery by id; undefined outside the scope. */
  find(scope: DeliveryScope, id: string): Promise<DeliveryRow | undefined> {
    return this.#findBy('id', scope, id);
  }

  /** Returns a delivery by its idempotency key; undefined outside the scope. */
  findByKey(scope: DeliveryScope, key: string): Promise<DeliveryRow | undefined> {
    return this.#findBy('key', scope, key);
  }

  async #findBy(column: 'id' | 'key', scope: DeliveryScope, value: string): Promise<DeliveryRow | undefined> {
    const { rows } = await this.#pool.query<Omit<DeliveryRow, 'log'>>({
      name: `find-delivery-by-${column}`,
      text: `SELECT ${COLUMNS} FROM deliveries d WHERE d.${column} = $1 AND d.workspace_id = $2 AND ${MAY_SEE}`,
      values: [value, scope.workspaceId, projectLimitOf(scope.access)],
    });
    return (await this.#withLog(rows))[0];
  }

  /**
   * Makes a delivery due now, unless it is being sent. A pending retry keeps its place in the schedule; otherwise the schedule restarts.
   * With `to` it is moved to this address. @returns false where it is being sent or outside the scope
   */
  async makeDue(scope: DeliveryScope, id: string, now: Date, to?: SealedAddress): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'redeliver',
      text: `
        UPDATE deliveries d SET status = 'pending', by = 'redeliver', next_at = $4, owner = NULL,
          tries = CASE WHEN d.status = 'retrying' THEN d.tries ELSE 0 END,
          queue_key = COALESCE($5, d.queue_key), host = COALESCE($6, d.host), url = COALESCE($7, d.url)
        WHERE d.id = $1 AND d.workspace_id = $2 AND ${MAY_SEE} AND d.status <> 'delivering'`,
      values: [id, scope.workspaceId, projectLimitOf(scope.access), now, to?.queueKey, to?.host, to?.sealedUrl],
    });
    return rowCount === 1;
  }

  async #withLog(rows: readonly Omit<DeliveryRow, 'log'>[]): Promise<readonly DeliveryRow[]> {
    if (rows.length === 0) return [];
    const { rows: attempts } = await this.#pool.query<AttemptRow & { deliveryId: string }>({
      name: 'attempts-of',
      text: `
        SELECT a.* FROM unnest($1::text[]) AS d (id) CROSS JOIN LATERAL (
          SELECT delivery_id AS "deliveryId", number, at, url, status, error, duration_ms AS "durationMs", answer, by
          FROM attempts WHERE delivery_id = d.id ORDER BY number DESC LIMIT ${MAX_ATTEMPTS}) a
        ORDER BY a."deliveryId", a.number`,
      values: [rows.map(({ id }) => id)],
    });
    const logs = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
    return rows.map((row) => ({ ...row, log: logs.get(row.id) ?? [] }));
  }
}

const MAY_SEE = `($3::text[] IS NULL OR d.project_id = ANY($3))`;
