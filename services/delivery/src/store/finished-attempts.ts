import { type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { type AttemptBy, type AttemptedStatus, DELIVERY_TRANSITIONS, type DeliveryResult } from '../domain/delivery.ts';
import { isAccepted, type Transition } from '../domain/retry-schedule.ts';
import type { Claimed } from './claims.ts';
import { schema } from './tables.ts';

/** A finished attempt with its result and the delivery's next state. */
export interface FinishedAttempt {
  readonly claimed: Claimed;
  readonly at: Date;
  readonly endedAt: Date;
  readonly durationMs: number;
  /** The address it was sent to, masked; empty: it was not sent. */
  readonly url: string;
  readonly result: DeliveryResult;
  readonly transition: Transition;
}

/** Health of one address of a receiver after a batch of attempts. */
interface Health {
  receiverId: string;
  queueKey: string;
  deliveredAt: Date | null;
  failedAt: Date | null;
  pausedAt: Date | null;
  status: number;
  error: string;
  /** Failed attempts since the last success in the batch; without one, to be added to the stored count. */
  failures: number;
  hasSucceeded: boolean;
}

/** Returns the health after these attempts, which are in the order of their end. A failed test message is not part of it. */
export function healthOf(finished: readonly FinishedAttempt[]): readonly Health[] {
  const byAddress = new Map<string, Health>();
  for (const { claimed, endedAt, result, transition } of finished) {
    const { receiverId, queueKey, isTest } = claimed;
    if (isTest && !isAccepted(result)) continue;
    const key = `${receiverId} ${queueKey}`;
    const health: Health = byAddress.get(key) ?? {
      receiverId,
      queueKey,

      deliveredAt: null,
      failedAt: null,
      pausedAt: null,

      status: 0,
      error: '',
      failures: 0,
      hasSucceeded: false,
    };
    byAddress.set(key, health);
    if (isAccepted(result)) Object.assign(health, { deliveredAt: endedAt, failures: 0, hasSucceeded: true });
    else {
      const { status, error } = result;
      Object.assign(health, { failedAt: endedAt, status, error, failures: health.failures + 1 });
      if (transition.status === 'paused') health.pausedAt = endedAt;
    }
  }
  return [...byAddress.values()];
}

/** Lists with one value for each attempt, and with one for each address of a receiver. */
interface AttemptLists {
  readonly ids: readonly string[];
  readonly tokens: readonly string[];
  readonly at: readonly Date[];
  readonly endedAt: readonly Date[];
  readonly durationsMs: readonly number[];
  readonly httpStatuses: readonly number[];
  readonly errors: readonly string[];
  readonly answers: readonly string[];
  readonly by: readonly AttemptBy[];
  readonly statuses: readonly AttemptedStatus[];
  readonly tries: readonly number[];
  readonly nextAt: readonly (Date | null)[];
  readonly urls: readonly string[];
  readonly receiverIds: readonly string[];
  readonly queueKeys: readonly string[];
  readonly lastDeliveredAt: readonly (Date | null)[];
  readonly lastFailedAt: readonly (Date | null)[];
  readonly lastPausedAt: readonly (Date | null)[];
  readonly lastStatuses: readonly number[];
  readonly lastErrors: readonly string[];
  readonly failures: readonly number[];
  readonly haveSucceeded: readonly boolean[];
}

// Attempts at a former address do not change the health. Receivers are always locked in the order of their ids, which rules out deadlocks.
const WRITE_ATTEMPTS = schema.prepareText(
  'write-attempts',
  {},
  (lists: Params<AttemptLists>) => sql`
  WITH ends AS (
    SELECT * FROM unnest(${lists.ids}::text[], ${lists.tokens}::text[], ${lists.at}::timestamptz[], ${lists.endedAt}::timestamptz[],
      ${lists.durationsMs}::int[], ${lists.httpStatuses}::int[], ${lists.errors}::text[], ${lists.answers}::text[], ${lists.by}::text[],
      ${lists.statuses}::text[], ${lists.tries}::int[], ${lists.nextAt}::timestamptz[], ${lists.urls}::text[])
      AS e (id, token, at, ended_at, duration_ms, http_status, error, answer, by, status, tries, next_at, url)),
  moved AS (
    UPDATE deliveries d SET
      status = e.status, tries = e.tries, next_at = e.next_at, owner = NULL, interrupted = 0, by = 'schedule', attempts = d.attempts + 1,
      last_status = e.http_status, last_error = e.error,
      delivered_at = CASE WHEN e.status = ${sql.lit(DELIVERY_TRANSITIONS.deliver.to)} THEN e.ended_at ELSE d.delivered_at END
    FROM ends e WHERE d.id = e.id AND d.owner = e.token AND d.status = ${sql.lit(DELIVERY_TRANSITIONS.claim.to)}
    RETURNING d.id, d.attempts),
  logged AS (
    INSERT INTO attempts (delivery_id, number, at, url, status, error, duration_ms, answer, by)
    SELECT m.id, m.attempts, e.at, e.url, e.http_status, e.error, e.duration_ms, e.answer, e.by FROM moved m JOIN ends e ON e.id = m.id),
  health AS (
    SELECT * FROM unnest(${lists.receiverIds}::text[], ${lists.lastDeliveredAt}::timestamptz[], ${lists.lastFailedAt}::timestamptz[],
      ${lists.lastPausedAt}::timestamptz[], ${lists.lastStatuses}::int[], ${lists.lastErrors}::text[], ${lists.failures}::int[],
      ${lists.haveSucceeded}::boolean[], ${lists.queueKeys}::text[])
      AS h (id, delivered_at, failed_at, paused_at, status, error, failures, has_succeeded, queue_key)),
  locked AS (SELECT r.id FROM receivers r WHERE r.id = ANY(${lists.receiverIds}::text[]) ORDER BY r.id FOR UPDATE)
  UPDATE receivers r SET
    last_delivered_at = GREATEST(r.last_delivered_at, h.delivered_at),
    last_failed_at = GREATEST(r.last_failed_at, h.failed_at),
    last_paused_at = GREATEST(r.last_paused_at, h.paused_at),
    last_status = CASE WHEN h.failed_at IS NULL THEN r.last_status ELSE h.status END,
    last_error = CASE WHEN h.failed_at IS NULL THEN r.last_error ELSE h.error END,
    failures = h.failures + CASE WHEN h.has_succeeded THEN 0 ELSE r.failures END
  FROM health h JOIN locked ON locked.id = h.id WHERE r.id = h.id AND r.queue_key = h.queue_key`,
);

/**
 * Stores attempts, their deliveries' states and their receivers' health in one statement. Of an attempt whose claim was lost, only the
 * health is stored.
 */
export async function writeAttempts(
  pool: pg.Pool,
  finished: readonly FinishedAttempt[],
): Promise<readonly undefined[]> {
  const health = healthOf(finished);
  await WRITE_ATTEMPTS.change(pool, {
    ids: finished.map(({ claimed }) => claimed.id),
    tokens: finished.map(({ claimed }) => claimed.token),
    at: finished.map(({ at }) => at),
    endedAt: finished.map(({ endedAt }) => endedAt),
    durationsMs: finished.map(({ durationMs }) => Math.round(durationMs)),
    httpStatuses: finished.map(({ result }) => result.status),
    errors: finished.map(({ result }) => result.error),
    answers: finished.map(({ result }) => result.answer),
    by: finished.map(({ claimed }) => claimed.by),
    statuses: finished.map(({ transition }) => transition.status),
    tries: finished.map(({ transition }) => transition.tries),
    nextAt: finished.map(({ transition }) => transition.nextAt ?? null),
    urls: finished.map(({ url }) => url),
    receiverIds: health.map(({ receiverId }) => receiverId),
    queueKeys: health.map(({ queueKey }) => queueKey),
    lastDeliveredAt: health.map(({ deliveredAt }) => deliveredAt),
    lastFailedAt: health.map(({ failedAt }) => failedAt),
    lastPausedAt: health.map(({ pausedAt }) => pausedAt),
    lastStatuses: health.map(({ status }) => status),
    lastErrors: health.map(({ error }) => error),
    failures: health.map(({ failures }) => failures),
    haveSucceeded: health.map(({ hasSucceeded }) => hasSucceeded),
  });
  return finished.map(() => undefined);
}
