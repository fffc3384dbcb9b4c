import type { HostReport } from './host-health.ts';

/** A wait that a site requested: 429, or 503 with Retry-After (RFC 6585 4, RFC 9110 15.6.4). */
export interface RequestedWait {
  /** Retry-After; undefined: without a duration. */
  readonly seconds: number | undefined;
}

/** Number of requested waits after which a page ends with the response of its host. */
export const HELD_MAX = 8;
const HOLD_FIRST_SECONDS = 2;
const HOLD_MAX_SECONDS = 300;

/** Failures of a host that is unreachable or does not respond. Certificate and body failures are not among them. */
const SILENCES: ReadonlySet<string> = new Set(['refused', 'dns', 'timeout', 'reset']);

/** Returns the wait that a response requests; undefined: none. */
export function requestedWaitOf(status: number, retryAfterSeconds: number | undefined): RequestedWait | undefined {
  const isRequested = status === 429 || (status === 503 && retryAfterSeconds !== undefined);
  return isRequested ? { seconds: retryAfterSeconds } : undefined;
}

/**
 * Returns the seconds to hold a host that requested a wait: its Retry-After, or an exponential backoff if it sends none
 * (RFC 9110 10.2.3, RFC 6585 4). `held`: requested waits of the same page before.
 */
export function holdSeconds({ seconds }: RequestedWait, held: number): number {
  return Math.min(HOLD_MAX_SECONDS, Math.max(1, seconds ?? HOLD_FIRST_SECONDS * 2 ** held));
}

/** Returns the reason of a hold that the host requested. */
export function whyHeld(httpStatus: number, { seconds }: RequestedWait): string {
  const wait = seconds === undefined ? 'without Retry-After' : `with Retry-After: ${seconds} s`;
  return `it answered ${httpStatus} ${wait}`;
}

/** A response, as far as it concerns the pace of its host. */
export interface HostResponse {
  readonly status: number;
  readonly requestedWait: RequestedWait | undefined;
  /** Time to the head of the response, ms; undefined: not measured. */
  readonly latencyMs: number | undefined;
}

/** Returns the report of a response. */
export function reportOfResponse({ status, requestedWait, latencyMs }: HostResponse): HostReport {
  const latency = latencyMs === undefined ? undefined : { ms: latencyMs, isError: status >= 400 };
  if (status < 500 || requestedWait !== undefined) return { kind: 'answered', latency };
  return { kind: 'failed', trouble: 'faulty', why: `it answered ${status} several times in a row`, latency };
}

/**
 * Returns the report of a request without a response; undefined if the host is not at fault. `failure`: kind of the
 * FetchFailed.
 */
export function reportOfFailure(failure: string, reason: string): HostReport | undefined {
  if (!SILENCES.has(failure)) return undefined;
  const why = `it did not respond several times in a row: ${reason}`;
  return { kind: 'failed', trouble: 'silent', why, latency: undefined };
}
