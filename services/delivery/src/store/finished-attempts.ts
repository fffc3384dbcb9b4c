import type pg from 'pg';
import type { DeliveryResult } from '../domain/delivery.ts';
import { isAccepted, type Transition } from '../domain/retry-schedule.ts';
import type { Claimed } from './claims.ts';

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

/**
 * Stores attempts, their deliveries' states and their receivers' health in one statement. Of an attempt whose claim was lost, only the
 * health is stored.
 */
export async function writeAttempts(
  pool: pg.Pool,
  finished: readonly FinishedAttempt[],
): Promise<readonly undefined[]> {
  const of = <V>(value: (end: FinishedAttempt) => V): V[] => finished.map(value);
  const health = healthOf(finished);
  const ofHealth = <V>(value: (one: Health) => V): V[] => health.map(value);
  await pool.query({
    name: 'write-attempts',
    text: WRITE_ATTEMPTS,
    values: [
      of(({ claimed }) => claimed.id),
      of(({ claimed }) => claimed.token),
      of(({ at }) => at),
      of(({ endedAt }) => endedAt),
      of(({ durationMs }) => Math.round(durationMs)),
      of(({ result }) => result.status),
      of(({ result }) => result.error),
      of(({ result }) => result.answer),
      of(({ claimed }) => claimed.by),
      of(({ transition }) => transition.status),
      of(({ transition }) => transition.tries),
      of(({ transition }) => transition.nextAt ?? null),
      ofHealth(({ receiverId }) => receiverId),
      ofHealth(({ deliveredAt }) => deliveredAt),
      ofHealth(({ failedAt }) => failedAt),
      ofHealth(({ pausedAt }) => pausedAt),
      ofHealth(({ status }) => status),
      ofHealth(({ error }) => error),
      ofHealth(({ failures }) => failures),
      ofHealth(({ hasSucceeded }) => hasSucceeded),
      ofHealth(({ queueKey }) => queueKey),
      of(({ url }) => url),
    ],
  });
  return finished.map(() => undefined);
}

// Attempts at a former address do not change the health. Receivers are always locked in the order of their ids, which rules out deadlocks.
const WRITE_ATTEMPTS = `
  WITH ends AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::int[], $6::int[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::int[], $12::timestamptz[], $22::text[])
      AS e (id, token, at, ended_at, duration_ms, http_status, error, answer, by, status, tries, next_at, url)),
  moved AS (
    UPDATE deliveries d SET
      status = e.status, tries = e.tries, next_at = e.next_at, owner = NULL, interrupted = 0, by = 'schedule', attempts = d.attempts + 1,
      last_status = e.http_status, last_error = e.error,
      delivered_at = CASE WHEN e.status = 'delivered' THEN e.ended_at ELSE d.delivered_at END
    FROM ends e WHERE d.id = e.id AND d.owner = e.token
    RETURNING d.id, d.attempts),
  logged AS (
    INSERT INTO attempts (delivery_id, number, at, url, status, error, duration_ms, answer, by)
    SELECT m.id, m.attempts, e.at, e.url, e.http_status, e.error, e.duration_ms, e.answer, e.by FROM moved m JOIN ends e ON e.id = m.id),
  health AS (
    SELECT * FROM unnest($13::text[], $14::timestamptz[], $15::timestamptz[], $16::timestamptz[], $17::int[], $18::text[], $19::int[],
      $20::boolean[], $21::text[]) AS h (id, delivered_at, failed_at, paused_at, status, error, failures, has_succeeded, queue_key)),
  locked AS (SELECT r.id FROM receivers r WHERE r.id = ANY($13) ORDER BY r.id FOR UPDATE)
  UPDATE receivers r SET
    last_delivered_at = GREATEST(r.last_delivered_at, h.delivered_at),
    last_failed_at = GREATEST(r.last_failed_at, h.failed_at),
    last_paused_at = GREATEST(r.last_paused_at, h.paused_at),
    last_status = CASE WHEN h.failed_at IS NULL THEN r.last_status ELSE h.status END,
    last_error = CASE WHEN h.failed_at IS NULL THEN r.last_error ELSE h.error END,
    failures = h.failures + CASE WHEN h.has_succeeded THEN 0 ELSE r.failures END
  FROM health h JOIN locked ON locked.id = h.id WHERE r.id = h.id AND r.queue_key = h.queue_key`;
