import type { FetchFailed } from '@tidemark/egress';

const BASE_WAIT_MS = 250;
const MAX_WAIT_MS = 4_000;

const TRANSIENT_FAILURES: ReadonlySet<string> = new Set(['reset', 'refused', 'timeout']);
/** Resolver errors that a retry may resolve. */
const TRANSIENT_DNS_CODES: ReadonlySet<string> = new Set(['EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT']);

export interface RetryState {
  /** Retries made so far. */
  readonly retries: number;
  readonly remainingMs: number;
  /** From 0 to 1. */
  readonly random: number;
}

/** Returns the wait before a request without a response is repeated, ms; undefined if the failure is final. */
export function retryWaitMs(failure: FetchFailed, { retries, remainingMs, random }: RetryState): number | undefined {
  if (!TRANSIENT_FAILURES.has(failure.kind) && !isTransientDns(failure)) return undefined;
  const waitMs = random * Math.min(MAX_WAIT_MS, BASE_WAIT_MS * 2 ** retries);
  // No retry if the wait would use up the remaining time.
  return waitMs < remainingMs ? waitMs : undefined;
}

function isTransientDns({ kind, cause }: FetchFailed): boolean {
  if (kind !== 'dns' || typeof cause !== 'object' || cause === null || !('code' in cause)) return false;
  return typeof cause.code === 'string' && TRANSIENT_DNS_CODES.has(cause.code);
}
