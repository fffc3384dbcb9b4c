import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { Captured } from '../capture/capture-deps.ts';
import type { unfetchedRow } from '../domain/page-row.ts';
import type { HostReport } from '../pace/host-health.ts';
import type { HostState, Wait } from '../pace/host-limiter.ts';

/** Signals of a host that is unreachable or does not respond. Certificate and body failures are not among them. */
const SILENCES: ReadonlySet<string> = new Set([
  'network: refused',
  'network: dns',
  'network: timeout',
  'network: reset',
]);

type CapturedRow = Pick<PageRow, 'verdict' | 'httpStatus' | 'reason' | 'signals'>;

/** Returns the health report of a captured page for its host; undefined if the host was not contacted or is not at fault. */
export function hostReportOf({
  row,
  requestedWait,
}: { readonly row: CapturedRow } & Pick<Captured, 'requestedWait'>): HostReport | undefined {
  const { verdict, httpStatus, reason, signals } = row;
  if (verdict === 'cached' || verdict === 'robots') return undefined;
  if (httpStatus === 0) {
    const isSilent = signals.some((signal) => SILENCES.has(signal));
    return isSilent ? { trouble: 'silent', why: `it did not respond several times in a row: ${reason}` } : undefined;
  }
  if (httpStatus >= 500 && requestedWait === undefined)
    return { trouble: 'faulty', why: `it answered ${httpStatus} several times in a row` };
  return 'answered';
}

/** Returns the reason of a hold that the host requested. */
export function whyHeld(httpStatus: number, seconds: number | undefined): string {
  const wait = seconds === undefined ? 'without Retry-After' : `with Retry-After: ${seconds} s`;
  return `it answered ${httpStatus} ${wait}`;
}

/** Counters of a page's fetches. */
export interface Tries {
  /** Fetches whose response requested a wait. */
  held: number;
  /** Fetches that the host failed. */
  failed: number;
  /** Attempts, including the current one and those ended by internal failures. */
  attempts: number;
}

/** Maximum number of visits per page without a response: while the host is up, and while it is held. Each visit has retries of its own. */
const SILENT_MAX = { up: 2, held: 3 };

/** Returns true if the page is fetched again: after a server error up to `retries` times. An unreachable host does not count as a failure of the page. */
export function isWorthAnother(
  tries: Tries,
  retries: number,
  { outcome, state }: { readonly outcome: HostReport | undefined; readonly state: HostState },
): boolean {
  if (outcome === undefined || outcome === 'answered' || state === 'given_up') return false;
  if (outcome.trouble === 'silent' && state === 'held') return true;
  tries.failed += 1;
  return outcome.trouble === 'silent' ? tries.failed < SILENT_MAX[state] : tries.failed <= retries;
}

type Unread = Parameters<typeof unfetchedRow>[2];

export const noAnswer = (reason: string): Unread => ({
  verdict: 'blocked',
  errorCode: 'NETWORK',
  reason,
  signals: ['given up'],
});

/** Returns the result of a page whose host is given up. */
export function givenUp({ trouble, why = '' }: Wait): Unread {
  if (trouble === 'robots') return { verdict: 'robots', errorCode: 'BLOCKED', reason: why, signals: ['robots.txt'] };
  return noAnswer(`not fetched, because its host is given up for now: ${why}`);
}
