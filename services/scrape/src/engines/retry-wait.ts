import { FetchFailed, type HttpResponse } from '@tidemark/egress';

const BASE_WAIT_MS = 250;
const MAX_WAIT_MS = 4_000;
/** Shortest wait after a 429 or 503: the site limits requests, or is overloaded. */
const MIN_OVERLOAD_WAIT_MS = 1_000;

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const TRANSIENT_FAILURES: ReadonlySet<string> = new Set(['reset', 'refused', 'timeout']);
/** Resolver errors that a retry may resolve. */
const TRANSIENT_DNS_CODES: ReadonlySet<string> = new Set(['EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT']);

export interface RetryState {
  /** Retries made so far. */
  readonly retries: number;
  readonly remainingMs: number;
  /** Whether the caller paces the host and repeats a fetch itself, under a new permit of the host. */
  readonly isPaced: boolean;
  readonly now: Date;
  /** From 0 to 1. */
  readonly random: number;
}

/** The parts of a response that decide on a retry. */
type RetriableResponse = Pick<HttpResponse, 'status' | 'headers'>;

/** Returns the wait before a retry in ms; undefined if the outcome is final. */
export function retryWaitMs(outcome: RetriableResponse | FetchFailed, state: RetryState): number | undefined {
  const jitterMs = state.random * Math.min(MAX_WAIT_MS, BASE_WAIT_MS * 2 ** state.retries);
  const waitMs =
    outcome instanceof FetchFailed ? failureWait(outcome, jitterMs) : responseWait(outcome, jitterMs, state);
  // No retry if the wait would use up the remaining time.
  return waitMs !== undefined && waitMs < state.remainingMs ? waitMs : undefined;
}

function failureWait(failure: FetchFailed, jitterMs: number): number | undefined {
  return TRANSIENT_FAILURES.has(failure.kind) || isTransientDns(failure) ? jitterMs : undefined;
}

function responseWait(
  { status, headers }: RetriableResponse,
  jitterMs: number,
  { isPaced, now }: RetryState,
): number | undefined {
  if (isPaced || !TRANSIENT_STATUSES.has(status)) return undefined;
  if (status !== 429 && status !== 503) return jitterMs;
  const [retryAfter = ''] = [headers['retry-after'] ?? []].flat();
  return Math.max(MIN_OVERLOAD_WAIT_MS, jitterMs, retryAfterMs(retryAfter, now) ?? 0);
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
