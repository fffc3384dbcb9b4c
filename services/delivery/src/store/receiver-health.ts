import { column, nullable, type Params, type RowOf, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from './tables.ts';

/** Delivery health of one receiver. */
export interface ReceiverHealth {
  /** ok; failing: the last attempt failed; paused: a delivery has run out of tries since the last success; never: none was made. */
  readonly state: 'ok' | 'failing' | 'paused' | 'never';
  readonly lastDeliveredAt: Date | undefined;
  readonly lastFailedAt: Date | undefined;
  readonly lastStatus: number;
  readonly lastError: string;
  readonly waiting: number;
  readonly paused: number;
  /** For chat: slack, teams, discord, mattermost, google_chat; empty otherwise. */
  readonly service: string;
}

const COLUMNS = {
  id: column('text'),
  service: column('text'),
  last_delivered_at: nullable('timestamptz'),
  last_failed_at: nullable('timestamptz'),
  last_paused_at: nullable('timestamptz'),
  last_status: column('int4'),
  last_error: column('text'),
  failures: column('int4'),
  waiting: column('int8'),
  paused: column('int8'),
};
type HealthRow = RowOf<typeof COLUMNS>;

const HEALTH = schema.prepareText(
  'receiver-health',
  COLUMNS,
  ({ workspaceId, ids }: Params<{ readonly workspaceId: string; readonly ids: readonly string[] }>) => sql`
    SELECT r.id, r.service, r.last_delivered_at, r.last_failed_at, r.last_paused_at, r.last_status, r.last_error, r.failures,
      c.waiting, c.paused
    FROM receivers r CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE d.status <> 'paused') AS waiting, count(*) FILTER (WHERE d.status = 'paused') AS paused
      FROM deliveries d WHERE d.receiver_id = r.id AND d.status NOT IN ('delivered', 'failed')) c
    WHERE r.id = ANY(${ids}) AND r.workspace_id = ${workspaceId}`,
);

/** Health of a receiver without deliveries. */
export const NO_DELIVERIES: ReceiverHealth = {
  state: 'never',
  lastDeliveredAt: undefined,
  lastFailedAt: undefined,
  lastStatus: 0,
  lastError: '',

  waiting: 0,
  paused: 0,
  service: '',
};

/** Reads the health of a workspace's receivers; those without a row are absent. */
export async function readHealth(
  pool: pg.Pool,
  workspaceId: string,
  receiverIds: readonly string[],
): Promise<ReadonlyMap<string, ReceiverHealth>> {
  const rows = await HEALTH.rows(pool, { workspaceId, ids: receiverIds });
  return new Map(rows.map((row) => [row.id, toHealth(row)]));
}

function toHealth(row: HealthRow): ReceiverHealth {
  return {
    state: stateOf(row),
    lastDeliveredAt: row.last_delivered_at ?? undefined,
    lastFailedAt: row.last_failed_at ?? undefined,
    lastStatus: row.last_status,
    lastError: row.last_error,
    waiting: Number(row.waiting),
    paused: Number(row.paused),
    service: row.service,
  };
}

function stateOf({ last_delivered_at, last_failed_at, last_paused_at, failures }: HealthRow): ReceiverHealth['state'] {
  if (last_delivered_at === null && last_failed_at === null) return 'never';
  if (failures === 0) return 'ok';
  return last_paused_at !== null && (last_delivered_at === null || last_paused_at > last_delivered_at)
    ? 'paused'
    : 'failing';
}
