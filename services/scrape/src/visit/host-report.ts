import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { type HostReport, type HostState, reportOfFailure, reportOfResponse, type Wait } from '@tidemark/host-pace';
import type { Captured } from '../capture/capture-deps.ts';
import type { unfetchedRow } from '../domain/page-row.ts';

/** Prefix of the signal of a fetch without a response; the rest is the kind of the failure. */
const NO_RESPONSE = 'network: ';

type CapturedRow = Pick<PageRow, 'verdict' | 'httpStatus' | 'reason' | 'signals'>;

/** Returns the health report of a captured page for its host; undefined if the host was not contacted or is not at fault. */
export function hostReportOf({
  row,
  requestedWait,
  latencyMs,
}: { readonly row: CapturedRow } & Pick<Captured, 'requestedWait' | 'latencyMs'>): HostReport | undefined {
  const { verdict, httpStatus: status, reason, signals } = row;
  if (verdict === 'cached' || verdict === 'robots') return undefined;
  if (status > 0) return reportOfResponse({ status, requestedWait, latencyMs });
  const failure = signals.find((signal) => signal.startsWith(NO_RESPONSE));
  return failure === undefined ? undefined : reportOfFailure(failure.slice(NO_RESPONSE.length), reason);
}

/** Counters of a page's fetches. */
export interface Tries {
  /** Fetches whose response requested a wait. */
  held: number;
  /** Fetches that the host failed. */
  failed: number;
}

/** Maximum number of visits per page without a response: while the host is up, and while it is held. Each visit has retries of its own. */
const SILENT_MAX = { up: 2, held: 3 };

/** Returns true if the page is fetched again: after a server error up to `retries` times. An unreachable host does not count as a failure of the page. */
export function isWorthAnother(
  tries: Tries,
  retries: number,
  { outcome, state }: { readonly outcome: HostReport | undefined; readonly state: HostState },
): boolean {
  if (outcome?.kind !== 'failed' || state === 'given_up') return false;
  if (outcome.trouble === 'silent' && state === 'held') return true;
  tries.failed += 1;
  return outcome.trouble === 'silent' ? tries.failed < SILENT_MAX[state] : tries.failed <= retries;
}

type Unread = Parameters<typeof unfetchedRow>[2];

export const withoutResponse = (reason: string): Unread => ({
  verdict: 'blocked',
  errorCode: 'NETWORK',
  reason,
  signals: ['given up'],
});

/** Returns the result of a page whose host is given up. */
export function givenUp({ trouble, why = '' }: Wait): Unread {
  if (trouble === 'robots') return { verdict: 'robots', errorCode: 'BLOCKED', reason: why, signals: ['robots.txt'] };
  return withoutResponse(`not fetched, because its host is given up for now: ${why}`);
}

/** Returns the result of a page whose host could not be requested in time. */
export const notInTime = (seconds: number, { why = 'other requests to it come first' }: Wait): Unread => ({
  verdict: 'blocked',
  errorCode: 'RATE_LIMITED',
  reason: `not fetched, because its host could not be requested within ${seconds} s: ${why}`,
  signals: ['host held'],
});
