import type { AttemptBy, DeliveryResult, DeliveryStatus } from './delivery.ts';

const MINUTE_MS = 60_000;

/** After which times a message is tried again; with the last of them about a day is over. */
export const RETRY_DELAYS_MS = [1, 5, 30, 120, 360, 720].map((minutes) => minutes * MINUTE_MS);

/** A receiver counts as failing after so many failed attempts in a row. */
export const FAILURES_IN_A_ROW = 3;

/** What becomes of a delivery after an attempt. */
export interface Transition {
  readonly status: DeliveryStatus;
  /** Retries of the schedule that were set so far, this one included. */
  readonly tries: number;
  /** When it is tried next; absent: not by itself. */
  readonly nextAt?: Date;
}

const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;

/** Whether the receiver took it: any 2xx. */
export const isAccepted = ({ status, error }: DeliveryResult): boolean => error === '' && status >= 200 && status < 300;

/** Whether trying again may help: there was no answer, the server is in trouble, or asks to be left alone for a while. */
const isRetryable = ({ status, isFinal }: DeliveryResult): boolean =>
  isFinal === undefined
    ? status === 0 || status >= 500 || status === REQUEST_TIMEOUT || status === TOO_MANY_REQUESTS
    : !isFinal;

/**
 * Decides what becomes of a delivery. A redelivery uses up no try of the schedule: it takes the place of the one that was waited for.
 * @param before how often a retry was set so far, and what this attempt was made by
 */
export function transitionAfter(
  before: { tries: number; by: AttemptBy },
  result: DeliveryResult,
  now: Date,
): Transition {
  const { tries, by } = before;
  if (isAccepted(result)) return { status: 'delivered', tries };
  if (!isRetryable(result)) return { status: 'failed', tries };
  const retry = by === 'redeliver' && tries > 0 ? tries - 1 : tries;
  const delayMs = RETRY_DELAYS_MS[retry];
  if (delayMs === undefined) return { status: 'paused', tries };
  return { status: 'retrying', tries: retry + 1, nextAt: new Date(now.getTime() + delayMs) };
}
