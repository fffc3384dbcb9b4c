import { literals, type Params, type Prepared, sql } from '@tidemark/sql';
import type pg from 'pg';
import { DELIVERY_TRANSITIONS, WAITING_STATES } from '../domain/delivery.ts';
import { FAILURES_IN_A_ROW, RETRY_DELAYS_MS } from '../domain/retry-schedule.ts';
import type { FinishedAttempt } from './finished-attempts.ts';
import { schema } from './tables.ts';

const MAX_ROWS = 2_000;
/** Statements per batch of attempts; what is left is postponed by the next failed attempt. */
const MAX_STATEMENTS = 10;

/** The failed attempt after which the rest of a receiver's deliveries waits. */
interface BacklogHold {
  readonly receiverId: string;
  readonly queueKey: string;
  /** The delivery whose attempt failed. */
  readonly deliveryId: string;
  /** Time of its next attempt; null: none, the delivery is paused. */
  readonly nextAt: Date | null;
  readonly tries: number;
  readonly at: Date;
}

/**
 * Returns per receiver the last failed attempt that will be repeated, or that used up the tries. A failed mail postpones no other: the
 * failure may concern its recipient only.
 */
export function backlogHolds(finished: readonly FinishedAttempt[]): readonly BacklogHold[] {
  const holds = new Map<string, BacklogHold>();
  for (const { claimed, endedAt, transition } of finished) {
    const { id: deliveryId, kind, queueKey, receiverId } = claimed;
    if (transition.status === 'delivered') holds.delete(receiverId);
    if (kind === 'mail' || (transition.status !== 'retrying' && transition.status !== 'paused')) continue;
    const hasPaused = holds.get(receiverId)?.nextAt === null;
    if (!hasPaused)
      holds.set(receiverId, {
        receiverId,
        queueKey,
        deliveryId,
        nextAt: transition.nextAt ?? null,
        tries: transition.tries,
        at: endedAt,
      });
  }
  return [...holds.values()];
}

interface HoldLists {
  readonly receiverIds: readonly string[];
  readonly deliveryIds: readonly string[];
  readonly nextAt: readonly (Date | null)[];
  readonly at: readonly Date[];
  readonly queueKeys: readonly string[];
  readonly tries: readonly number[];
}

const ROWS = sql.lit(MAX_ROWS);

const holdsOf = ({ receiverIds, deliveryIds, nextAt, at, queueKeys, tries }: Params<HoldLists>) => sql`
  holds AS (
    SELECT * FROM unnest(${receiverIds}::text[], ${deliveryIds}::text[], ${nextAt}::timestamptz[], ${at}::timestamptz[], ${queueKeys}::text[],
      ${tries}::int[]) AS b (receiver_id, delivery_id, next_at, at, queue_key, tries))`;

// Untried deliveries go just before the failed one and take its place in the schedule: a message that is never accepted starves no other, and
// an unresponsive receiver gets no additional calls. Uses the index of receiver queues. Redeliveries and tests are not postponed.
const POSTPONE = schema.prepareText(
  'postpone-backlog',
  {},
  (lists: Params<HoldLists>) => sql`
  WITH ${holdsOf(lists)},
  postponed AS (
    SELECT w.id, b.next_at - interval '1 ms' AS next_at, b.tries FROM holds b JOIN receivers r ON r.id = b.receiver_id AND r.queue_key = b.queue_key AND r.failures >= ${sql.lit(FAILURES_IN_A_ROW)}
    CROSS JOIN LATERAL (
      SELECT id FROM deliveries d
      WHERE d.queue_key = b.queue_key AND d.next_at IS NOT NULL AND d.next_at <= b.at
        AND d.receiver_id = b.receiver_id AND d.status = 'pending' AND d.attempts = 0 AND d.by = 'schedule'
      LIMIT ${ROWS} FOR UPDATE SKIP LOCKED) w
    LIMIT ${ROWS})
  UPDATE deliveries d SET next_at = h.next_at, tries = GREATEST(d.tries, h.tries) FROM postponed h WHERE d.id = h.id`,
);

const PAUSE_REST = schema.prepareText(
  'pause-rest',
  {},
  (lists: Params<HoldLists>) => sql`
  WITH ${holdsOf(lists)},
  postponed AS (
    SELECT w.id FROM holds b
    JOIN receivers r ON r.id = b.receiver_id AND r.queue_key = b.queue_key AND r.failures > ${sql.lit(RETRY_DELAYS_MS.length)}
    JOIN deliveries p ON p.id = b.delivery_id AND (r.last_delivered_at IS NULL OR r.last_delivered_at < p.created_at)
    CROSS JOIN LATERAL (
      SELECT id FROM deliveries d
      WHERE d.receiver_id = b.receiver_id AND d.queue_key = b.queue_key AND d.status IN (${literals(WAITING_STATES)}) AND d.by = 'schedule' AND d.next_at IS NOT NULL
      LIMIT ${ROWS} FOR UPDATE SKIP LOCKED) w
    LIMIT ${ROWS})
  UPDATE deliveries d SET status = ${sql.lit(DELIVERY_TRANSITIONS.pause.to)}, next_at = NULL,
    last_error = CASE WHEN d.attempts = 0 THEN 'not tried: the receiver has accepted nothing for a day' ELSE d.last_error END
  FROM postponed h WHERE d.id = h.id`,
);

/**
 * Postpones the backlog of failing receivers, so that it is not tried one by one: untried deliveries wait for the next try of the last failed
 * one. Once a delivery has used up its tries without a success since it was queued, the rest is paused with it.
 */
export async function postponeBacklog(pool: pg.Pool, finished: readonly FinishedAttempt[]): Promise<void> {
  const holds = backlogHolds(finished);
  const waiting = holds.filter(({ nextAt }) => nextAt !== null);
  const paused = holds.filter(({ nextAt }) => nextAt === null);
  if (waiting.length > 0) await runInBatches(pool, POSTPONE, waiting);
  if (paused.length > 0) await runInBatches(pool, PAUSE_REST, paused);
}

async function runInBatches(
  pool: pg.Pool,
  statement: Prepared<HoldLists, object>,
  holds: readonly BacklogHold[],
): Promise<void> {
  const lists: HoldLists = {
    receiverIds: holds.map(({ receiverId }) => receiverId),
    deliveryIds: holds.map(({ deliveryId }) => deliveryId),
    nextAt: holds.map(({ nextAt }) => nextAt),
    at: holds.map(({ at }) => at),
    queueKeys: holds.map(({ queueKey }) => queueKey),
    tries: holds.map(({ tries }) => tries),
  };
  for (let n = 0; n < MAX_STATEMENTS; n += 1) if ((await statement.change(pool, lists)) < MAX_ROWS) return;
}
