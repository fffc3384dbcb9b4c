import { FetchFailed, type HttpResponse } from '@tidemark/egress';

const BASE_WAIT_MS = 250;
const MAX_WAIT_MS = 4_000;
/** A response with a longer Retry-After is returned without a retry. */
const MAX_RETRY_AFTER_MS = 10_000;

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const TRANSIENT_FAILURES: ReadonlySet<string> = new Set(['reset', 'refused', 'timeout']);
/** Resolver errors that a retry may resolve. */
const TRANSIENT_DNS_CODES: ReadonlySet<string> = new Set(['EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT']);

export interface RetryState {
  /** Retries made so far. */
  readonly retries: number;
  readonly remainingMs: number;
  /** Whether the caller paces the host and handles 429 and 503 with Retry-After itself. */
  readonly isPaced: boolean;
  readonly now: Date;
  /** From 0 to 1. */
  readonly random: number;
}

/** Returns the wait before a retry in ms; undefined if the outcome is final. */
export function retryWaitMs(outcome: HttpResponse | FetchFailed, state: RetryState): number | undefined {
  const jitterMs = state.random * Math.min(MAX_WAIT_MS, BASE_WAIT_MS * 2 ** state.retries);
  const waitMs =
    outcome instanceof FetchFailed ? failureWait(outcome, jitterMs) : responseWait(outcome, jitterMs, state);
  // No retry if the wait would use up the remaining time.
  return waitMs !== undefined && waitMs < state.remainingMs ? waitMs : undefined;
}

function failureWait(failure: FetchFailed, jitterMs: number): number | undefined {
  return TRANSIENT_FAILURES.has(failure.kind) || isTransientDns(failure) ? jitterMs : undefined;
}

function responseWait({ status, headers }: HttpResponse, jitterMs: number, state: RetryState): number | undefined {
  if (!TRANSIENT_STATUSES.has(status)) return undefined;
  const [retryAfter] = [headers['retry-after'] ?? []].flat();
  const isRateLimited = status === 429 || (status === 503 && retryAfter !== undefined);
  if (isRateLimited && state.isPaced) return undefined;
  if (!isRateLimited || retryAfter === undefined) return jitterMs;
  const requestedMs = retryAfterMs(retryAfter, state.now);
  if (requestedMs === undefined) return jitterMs;
  return requestedMs <= MAX_RETRY_AFTER_MS ? Math.max(requestedMs, jitterMs) : undefined;
}

/** Parses Retry-After (RFC 9110 section 10.2.3): seconds or a date. */
function retryAfterMs(text: string, now: Date): number | undefined {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

function isTransientDns({ kind, cause }: FetchFailed): boolean {
  if (kind !== 'dns' || typeof cause !== 'object' || cause === null || !('code' in cause)) return false;
  return typeof cause.code === 'string' && TRANSIENT_DNS_CODES.has(cause.code);
}
