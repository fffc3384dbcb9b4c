import { ATTEMPT_POLICIES } from '@tidemark/leased-work/attempt-policy';
import { isRetriedStatus } from '@tidemark/webhook-events/delivery-rules';
import type { AttemptBy, AttemptedStatus, DeliveryResult } from './delivery.ts';

/** Delays before each retry, ms; about a day in all. */
export const RETRY_DELAYS_MS = ATTEMPT_POLICIES['delivery.deliveries'].retrySeconds.map((seconds) => seconds * 1_000);

/** Consecutive failed attempts after which a receiver counts as failing. */
export const FAILURES_IN_A_ROW = 3;

/** State of a delivery after an attempt. */
export interface Transition {
  readonly status: AttemptedStatus;
  /** Scheduled retries so far, this one included. */
  readonly tries: number;
  /** Time of the next attempt; absent: none is scheduled. */
  readonly nextAt?: Date;
}

/** Whether the receiver accepted the message: any 2xx. */
export const isAccepted = ({ status, error }: DeliveryResult): boolean => error === '' && status >= 200 && status < 300;

/** Whether a retry may succeed: as the sender of the message states it, otherwise by the status of the response. */
const isRetryable = ({ status, isFinal }: DeliveryResult): boolean =>
  isFinal === undefined ? isRetriedStatus(status) : !isFinal;

/**
 * Returns the next state of a delivery. A redelivery takes the place of the pending retry and uses up none of the schedule.
 * A test message is sent once. @param before scheduled retries before this attempt, and the cause of the attempt
 */
export function transitionAfter(
  before: { tries: number; by: AttemptBy; isTest?: boolean },
  result: DeliveryResult,
  now: Date,
): Transition {
  const { tries, by, isTest = false } = before;
  if (isAccepted(result)) return { status: 'delivered', tries };
  if (isTest || !isRetryable(result)) return { status: 'failed', tries };
  const retry = by === 'redeliver' && tries > 0 ? tries - 1 : tries;
  const delayMs = RETRY_DELAYS_MS[retry];
  if (delayMs === undefined) return { status: 'paused', tries };
  return { status: 'retrying', tries: retry + 1, nextAt: new Date(now.getTime() + delayMs) };
}
