import { type Params, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from './tables.ts';

/** Groups of failures in a list. */
const MAX_GROUPS = 100;
const DELETE_BATCH = 5_000;

/** A request that an API key sent, without its body and query. */
export interface NewRequest {
  /** rql_…: orders the log, and identifies the request when its batch is stored again. */
  readonly id: string;
  readonly at: Date;
  readonly workspaceId: string;
  readonly keyId: string;
  /** Such as `POST /v1/scrape`; empty: no route matches. */
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Code and message of the error; empty: none. */
  readonly code: string;
  readonly message: string;
  readonly durationMs: number;
  readonly requestId: string;
  /** Credits that the response states; null: it states none. */
  readonly credits: number | null;
  readonly userAgent: string;
}

export interface RequestRecord extends Omit<NewRequest, 'workspaceId'> {
  /** Empty for a key that does not exist any more. */
  readonly keyName: string;
}

/** Which requests are read; an absent value selects all. */
export interface RequestFilter {
  readonly keyId?: string | undefined;
  readonly statusFrom?: number | undefined;
  readonly statusBelow?: number | undefined;
  readonly code?: string | undefined;
  readonly route?: string | undefined;
  readonly requestId?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export interface FailureGroup {
  readonly route: string;
  readonly status: number;
  readonly code: string;
  readonly count: number;
  readonly keys: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** Of the latest request of the group. */
  readonly message: string;
  readonly requestId: string;
}

/** The values at each position of the lists. */
interface RequestLists {
  readonly ids: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly times: readonly Date[];
  readonly keyIds: readonly string[];
  readonly routes: readonly string[];
  readonly methods: readonly string[];
  readonly paths: readonly string[];
  readonly statuses: readonly number[];
  readonly codes: readonly string[];
  readonly messages: readonly string[];
  readonly durations: readonly number[];
  readonly requestIds: readonly string[];
  readonly credits: readonly (number | null)[];
  readonly userAgents: readonly string[];
}

const STORE = schema.prepareText(
  'store-requests',
  {},
  (of: Params<RequestLists>) => sql`
    INSERT INTO requests (id, workspace_id, at, key_id, route, method, path, status, code, message, duration_ms, request_id, credits, user_agent)
    SELECT r.*
    FROM unnest(${of.ids}::text[], ${of.workspaceIds}::text[], ${of.times}::timestamptz[], ${of.keyIds}::text[], ${of.routes}::text[],
      ${of.methods}::text[], ${of.paths}::text[], ${of.statuses}::int[], ${of.codes}::text[], ${of.messages}::text[], ${of.durations}::int[],
      ${of.requestIds}::text[], ${of.credits}::bigint[], ${of.userAgents}::text[])
      AS r(id, workspace_id, at, key_id, route, method, path, status, code, message, duration_ms, request_id, credits, user_agent)
    WHERE r.workspace_id IN (SELECT w.id FROM workspaces w WHERE w.id = ANY (${of.workspaceIds}::text[]))
    ON CONFLICT DO NOTHING`,
);

/** Rows are deleted by their place: no index begins with the id alone. */
const DELETE_OLD = schema.prepareText(
  'delete-old-requests',
  {},
  ({ days }: Params<{ readonly days: number }>) => sql`
    DELETE FROM requests WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM requests WHERE at < now() - make_interval(days => ${days}::int) LIMIT ${sql.lit(DELETE_BATCH)}))`,
);

/** Stores, reads and expires the requests of workspaces. */
export class RequestLog {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Stores a batch, each request once. Those of deleted workspaces are dropped. */
  async store(requests: readonly NewRequest[]): Promise<void> {
    if (requests.length === 0) return;
    await STORE.change(this.#pool, {
      ids: requests.map(({ id }) => id),
      workspaceIds: requests.map(({ workspaceId }) => workspaceId),
      times: requests.map(({ at }) => at),
      keyIds: requests.map(({ keyId }) => keyId),
      routes: requests.map(({ route }) => route),
      methods: requests.map(({ method }) => method),
      paths: requests.map(({ path }) => path),
      statuses: requests.map(({ status }) => status),
      codes: requests.map(({ code }) => code),
      messages: requests.map(({ message }) => message),
      durations: requests.map(({ durationMs }) => durationMs),
      requestIds: requests.map(({ requestId }) => requestId),
      credits: requests.map(({ credits }) => credits),
      userAgents: requests.map(({ userAgent }) => userAgent),
    });
  }

  /** Returns requests of a workspace before the request `before`, newest first. */
  async list(
    workspaceId: string,
    filter: RequestFilter,
    { before, limit }: { readonly before: string | undefined; readonly limit: number },
  ): Promise<RequestRecord[]> {
    const rows = await selectRows(
      this.#pool,
      filtered(workspaceId, filter)
        .leftJoin('api_keys as k', 'k.id', 'r.key_id')
        .select([
          'r.id',
          'r.at',
          'r.key_id as keyId',
          sql<string>`coalesce(k.name, '')`.as('keyName'),
          'r.route',
          'r.method',
          'r.path',
          'r.status',
          'r.code',
          'r.message',
          'r.duration_ms as durationMs',
          'r.request_id as requestId',
          'r.credits',
          'r.user_agent as userAgent',
        ])
        .$if(before !== undefined, (some) => some.where('r.id', '<', before ?? null))
        .orderBy('r.id', 'desc')
        .limit(limit),
    );
    return rows.map((row) => ({ ...row, credits: row.credits === null ? null : Number(row.credits) }));
  }

  /** Returns failed requests of a workspace by route, status and code, most frequent first. */
  async groupFailures(workspaceId: string, filter: RequestFilter): Promise<FailureGroup[]> {
    const rows = await selectRows(
      this.#pool,
      filtered(workspaceId, filter)
        .where('r.status', '>=', 400)
        .select([
          'r.route',
          'r.status',
          'r.code',
          sql<string>`count(*)`.as('count'),
          sql<number>`count(DISTINCT r.key_id)::int`.as('keys'),
          sql<Date>`min(r.at)`.as('firstAt'),
          sql<Date>`max(r.at)`.as('lastAt'),
          sql<string>`(array_agg(r.message ORDER BY r.id DESC))[1]`.as('message'),
          sql<string>`(array_agg(r.request_id ORDER BY r.id DESC))[1]`.as('requestId'),
        ])
        .groupBy(['r.route', 'r.status', 'r.code'])
        .orderBy('count', 'desc')
        .orderBy('lastAt', 'desc')
        .limit(MAX_GROUPS),
    );
    return rows.map((row) => ({ ...row, count: Number(row.count) }));
  }

  /** Deletes a batch of requests older than `days`. @returns their number */
  deleteOld(days: number): Promise<number> {
    return DELETE_OLD.change(this.#pool, { days });
  }
}

function filtered(
  workspaceId: string,
  { keyId, statusFrom, statusBelow, code, route, requestId, from, to }: RequestFilter,
) {
  let query = tables.selectFrom('requests as r').where('r.workspace_id', '=', workspaceId);
  if (keyId !== undefined) query = query.where('r.key_id', '=', keyId);
  if (statusFrom !== undefined) query = query.where('r.status', '>=', statusFrom);
  if (statusBelow !== undefined) query = query.where('r.status', '<', statusBelow);
  if (code !== undefined) query = query.where('r.code', '=', code);
  if (route !== undefined) query = query.where('r.route', '=', route);
  if (requestId !== undefined) query = query.where('r.request_id', '=', requestId);
  if (from !== undefined) query = query.where('r.at', '>=', from);
  if (to !== undefined) query = query.where('r.at', '<', to);
  return query;
}
