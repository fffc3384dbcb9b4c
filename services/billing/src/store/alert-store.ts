import { events } from '@tidemark/contracts';
import type { CreditsLow } from '@tidemark/contracts/billing/v1/events';
import { inTransaction, type OutgoingEvent, outgoingEvent, writeEvents } from '@tidemark/service';
import { column, listOf, nullable, type Params, type RawBuilder, type RowOf, sql, unnest } from '@tidemark/sql';
import type pg from 'pg';
import { BALANCE } from './buckets.ts';
import { schema, tables } from './tables.ts';

const BATCH = 100;

/** The highest share that a percentage has reached: 50, 80 or 100; 0: none. */
const share = (percent: RawBuilder<unknown>) =>
  sql`CASE WHEN ${percent} >= 100 THEN 100 WHEN ${percent} >= 80 THEN 80 WHEN ${percent} >= 50 THEN 50 ELSE 0 END`;

/** The alert that an account has reached: a share of its allowance or welcome credits, or 100 more than a share of its overage. */
const LEVEL = sql`CASE
  WHEN overage_used > 0 AND overage_room > 0 THEN 100 + ${share(sql`100 * overage_used / overage_room`)}
  WHEN allowance > 0 THEN ${share(sql`100 * (allowance - allowance_left) / allowance`)}
  WHEN allowance = 0 AND welcome > 0 THEN ${share(sql`100 * (welcome - welcome_left) / welcome`)}
  ELSE 0 END`;

const ALERT_COLUMNS = {
  workspaceId: column('text'),
  level: column('int4'),
  hasAllowance: column('bool'),
  remaining: nullable('int8'),
  periodStart: nullable('timestamptz'),
  periodEnd: nullable('timestamptz'),
  now: column('timestamptz'),
};

const DUE = schema.prepareText(
  'due-alerts',
  ALERT_COLUMNS,
  () => sql`
    SELECT workspace_id AS "workspaceId", ${LEVEL} AS level, coalesce(allowance > 0, false) AS "hasAllowance", ${BALANCE} - reserved AS remaining,
      period_start AS "periodStart", period_end AS "periodEnd", now() AS now
    FROM accounts WHERE payer_id IS NULL AND ${LEVEL} > alerted ORDER BY workspace_id LIMIT ${sql.lit(BATCH)} FOR UPDATE SKIP LOCKED`,
);

const STORE = schema.prepare(
  'store-alerts',
  ({
    workspaceIds,
    levels,
  }: Params<{ readonly workspaceIds: readonly string[]; readonly levels: readonly number[] }>) =>
    tables
      .updateTable('accounts as a')
      .from(unnest('x', { workspace_id: listOf(workspaceIds, 'text'), level: listOf(levels, 'int') }))
      .set(({ ref }) => ({ alerted: ref('x.level') }))
      .whereRef('a.workspace_id', '=', 'x.workspace_id'),
);

/** Finds accounts that have used a share of their credits, and publishes each share once in a period. */
export class AlertStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Publishes the alerts of up to 100 accounts. Several replicas may run it concurrently. @returns the events, to be sent */
  publish(): Promise<OutgoingEvent[]> {
    return inTransaction(this.#pool, async (db) => {
      const rows = await DUE.rows(db, {});
      await STORE.change(db, {
        workspaceIds: rows.map(({ workspaceId }) => workspaceId),
        levels: rows.map(({ level }) => level),
      });
      const outgoing = rows.map((row) => {
        const alert = toAlert(row);
        return outgoingEvent(events.creditsLow, alert.id, alert);
      });
      await writeEvents(db, outgoing);
      return outgoing;
    });
  }
}

function toAlert({
  workspaceId,
  level,
  hasAllowance,
  remaining,
  periodStart,
  periodEnd,
  now,
}: RowOf<typeof ALERT_COLUMNS>): CreditsLow {
  const ofAllowance = hasAllowance ? 'allowance' : 'welcome';
  return {
    id: `credits-low:${workspaceId}:${periodStart?.toISOString() ?? ''}:${level}`,
    workspaceId,
    of: level > 100 ? 'overage' : ofAllowance,
    percent: level > 100 ? level - 100 : level,
    remaining: remaining === null ? undefined : Math.max(0, Number(remaining)),
    resetsAt: periodEnd ?? undefined,
    at: now,
  };
}
