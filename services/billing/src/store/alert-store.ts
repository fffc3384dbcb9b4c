import { events } from '@tidemark/contracts';
import type { CreditsLow } from '@tidemark/contracts/billing/v1/events';
import { inTransaction, type OutgoingEvent, outgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { BALANCE } from './buckets.ts';

const BATCH = 100;

/** The highest share that a percentage has reached: 50, 80 or 100; 0: none. */
const share = (percent: string) =>
  `CASE WHEN ${percent} >= 100 THEN 100 WHEN ${percent} >= 80 THEN 80 WHEN ${percent} >= 50 THEN 50 ELSE 0 END`;

/** The alert that an account has reached: a share of its allowance or welcome credits, or 100 more than a share of its overage. */
const LEVEL = `CASE
  WHEN overage_used > 0 AND overage_room > 0 THEN 100 + ${share('100 * overage_used / overage_room')}
  WHEN allowance > 0 THEN ${share('100 * (allowance - allowance_left) / allowance')}
  WHEN allowance = 0 AND welcome > 0 THEN ${share('100 * (welcome - welcome_left) / welcome')}
  ELSE 0 END`;

interface AlertRow {
  readonly workspaceId: string;
  readonly level: number;
  readonly hasAllowance: boolean;
  readonly remaining: string | null;
  readonly periodStart: Date | null;
  readonly periodEnd: Date | null;
  readonly now: Date;
}

/** Finds accounts that have used a share of their credits, and publishes each share once in a period. */
export class AlertStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Publishes the alerts of up to 100 accounts. Several replicas may run it concurrently. @returns the events, to be sent */
  publish(): Promise<OutgoingEvent[]> {
    return inTransaction(this.#pool, async (db) => {
      const { rows } = await db.query<AlertRow>({
        name: 'due-alerts',
        text: `SELECT workspace_id AS "workspaceId", ${LEVEL} AS level, allowance > 0 AS "hasAllowance", ${BALANCE} - reserved AS remaining,
            period_start AS "periodStart", period_end AS "periodEnd", now() AS now
          FROM accounts WHERE payer_id IS NULL AND ${LEVEL} > alerted ORDER BY workspace_id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
      });
      await db.query({
        name: 'store-alerts',
        text: `UPDATE accounts a SET alerted = x.level FROM unnest($1::text[], $2::int[]) AS x(workspace_id, level) WHERE a.workspace_id = x.workspace_id`,
        values: [rows.map(({ workspaceId }) => workspaceId), rows.map(({ level }) => level)],
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

function toAlert({ workspaceId, level, hasAllowance, remaining, periodStart, periodEnd, now }: AlertRow): CreditsLow {
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
