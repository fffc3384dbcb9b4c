import type { StopReason } from '@tidemark/contracts';
import type { CoverageEstimate } from '@tidemark/contracts/crawl/v1/crawl';

/** Why a record is no verdict on the whole site. */
export type CoverageReason =
  | 'no_baseline'
  | 'listed_only'
  | 'stop_limit'
  | 'stop_cancelled'
  | 'stop_budget'
  | 'stop_time'
  | 'stop_error'
  | 'nothing_read'
  | 'seed_failed'
  | 'sitemap_unreadable'
  | 'robots_unreadable'
  | 'login_expired'
  | 'scope_changed'
  | 'blocked_share'
  | 'mass_removal'
  | 'host_fingerprint_changed'
  | 'selectors_withheld';

/** Whether a record is a verdict on the whole site. */
export interface Coverage {
  readonly verdict: boolean;
  /** The run reached every page in scope. */
  readonly complete: boolean;
  readonly reasons: readonly CoverageReason[];
  /** Known pages in scope, with those that the run found: never fewer than `read`. */
  readonly known: number;
  readonly read: number;
  /** Pages that were requested and not readable, and known pages that the run did not reach. */
  readonly unread: number;
  readonly probed: number;
  readonly baselineComplete: boolean;
  /** Known pages outside the current scope. They are in no other count. */
  readonly outOfScope: number;
  /** The estimated number of pages of the site, as the run states it. */
  readonly estimate: CoverageEstimate | undefined;
}

/** The run that the record describes. */
export interface RecordedRun {
  readonly id: string;
  readonly projectId: string;
  readonly isRecrawl: boolean;
  /** done, error, cancelled. */
  readonly status: string;
  /** Undefined after an internal error. */
  readonly stop: StopReason | undefined;
  readonly isSeedRead: boolean;
  /** The run expected a sitemap, or a robots.txt, that could not be read. */
  readonly isSitemapUnreadable: boolean;
  readonly isRobotsUnreadable: boolean;
  readonly scopeHash: string;
  readonly finishedAt: string;
  readonly estimate: CoverageEstimate | undefined;
}

/**
 * Returns whether the record of a run replaces the known state of its pages. A failed or cancelled run is never a baseline, nor is a recrawl of
 * listed pages: the next run is compared with the state before them.
 */
export const isHistory = ({ isRecrawl, status }: Pick<RecordedRun, 'isRecrawl' | 'status'>): boolean =>
  !isRecrawl && status === 'done';

/** The last full run before it that read pages. */
export interface Baseline {
  readonly runId: string;
  readonly startedAtMs: number;
  /** Coverage.complete of the baseline's own record. */
  readonly isComplete: boolean;
  readonly scopeHash: string;
}

/** Totals of the scan over all pages of a run. */
export interface ScanCounts {
  /** Pages in scope that were present before, and those that the run found. */
  readonly known: number;
  /** Pages in scope that were present before. */
  readonly present: number;
  readonly read: number;
  readonly unreadable: number;
  readonly unreached: number;
  readonly verified: number;
  /** Known pages that look removed for the first time. */
  readonly newlyMissing: number;
  readonly outOfScope: number;
  /** The site serves one generic page in place of pages that differed before. */
  readonly hasGenericPage: boolean;
}

const STOPS: Partial<Readonly<Record<StopReason, CoverageReason>>> = {
  page_limit: 'stop_limit',
  cancelled: 'stop_cancelled',
  credit_limit: 'stop_budget',
  time_limit: 'stop_time',
  site_down: 'seed_failed',
  login_dead: 'login_expired',
};

/** A larger share of unreadable pages means that the site blocks the crawler. */
const BLOCKED_SHARE = 0.2;
/** A larger share of known pages disappearing at once is treated as an outage until the next run confirms it. */
const MASS_REMOVAL_SHARE = 0.3;
/** Lower bound for small sites. */
const MASS_REMOVAL_PAGES = 3;

/** Reasons that mean the run ended before it reached every page. */
const INCOMPLETE_REASONS: ReadonlySet<CoverageReason> = new Set([
  'listed_only',
  'stop_limit',
  'stop_cancelled',
  'stop_budget',
  'stop_time',
  'stop_error',
  'nothing_read',
  'seed_failed',
  'sitemap_unreadable',
  'robots_unreadable',
  'login_expired',
  'blocked_share',
]);

/** Reasons that make even a 404 inconclusive until the next run confirms it. */
const DOUBTFUL_REASONS: ReadonlySet<CoverageReason> = new Set([
  'nothing_read',
  'seed_failed',
  'login_expired',
  'blocked_share',
  'mass_removal',
  'host_fingerprint_changed',
]);

/** Reasons that forbid further fetches: a limit was reached, the run was stopped, or the site is in trouble. */
const NO_VERIFICATION_REASONS: ReadonlySet<CoverageReason> = new Set([
  'stop_limit',
  'stop_cancelled',
  'stop_budget',
  'stop_time',
  'stop_error',
  ...DOUBTFUL_REASONS,
]);

/** Computes the coverage of a run. */
export function coverageOf(run: RecordedRun, baseline: Baseline | undefined, counts: ScanCounts): Coverage {
  const reasons = reasonsOf(run, baseline, counts);
  return {
    verdict: reasons.length === 0,
    complete: !reasons.some((reason) => INCOMPLETE_REASONS.has(reason)),
    reasons,
    known: counts.known,
    read: counts.read,
    unread: counts.unreadable + counts.unreached,
    probed: counts.verified,
    baselineComplete: baseline?.isComplete ?? false,
    outOfScope: counts.outOfScope,
    estimate: run.estimate,
  };
}

/** Returns the coverage with one more reason, which makes it no verdict. */
export const withReason = (coverage: Coverage, reason: CoverageReason): Coverage => ({
  ...coverage,
  verdict: false,
  reasons: [...coverage.reasons, reason],
});

export const isDoubtful = (coverage: Coverage): boolean =>
  coverage.reasons.some((reason) => DOUBTFUL_REASONS.has(reason));

export const mayVerify = (coverage: Coverage): boolean =>
  !coverage.reasons.some((reason) => NO_VERIFICATION_REASONS.has(reason));

function reasonsOf(run: RecordedRun, baseline: Baseline | undefined, counts: ScanCounts): CoverageReason[] {
  const attempted = counts.read + counts.unreadable;
  const stop = stopReasonOf(run);
  const found: readonly (readonly [CoverageReason, boolean])[] = [
    ['no_baseline', baseline === undefined],
    ['listed_only', run.isRecrawl],
    ['seed_failed', !run.isRecrawl && (!run.isSeedRead || stop === 'seed_failed')],
    ['sitemap_unreadable', run.isSitemapUnreadable],
    ['robots_unreadable', run.isRobotsUnreadable],
    ['scope_changed', !run.isRecrawl && baseline !== undefined && baseline.scopeHash !== run.scopeHash],
    ['blocked_share', counts.unreadable > attempted * BLOCKED_SHARE],
    ['mass_removal', isMassRemoval(counts)],
    ['host_fingerprint_changed', counts.hasGenericPage],
  ];
  const others = found.filter(([, applies]) => applies).map(([reason]) => reason);
  return stop === undefined || stop === 'seed_failed' ? others : [stop, ...others];
}

/** Returns the reason that follows from how the run ended; undefined: none does. */
function stopReasonOf({ status, stop }: RecordedRun): CoverageReason | undefined {
  if (status === 'cancelled') return 'stop_cancelled';
  if (status === 'error') return stop === undefined ? 'stop_error' : 'nothing_read';
  return stop === undefined ? undefined : STOPS[stop];
}

function isMassRemoval({ newlyMissing, present }: ScanCounts): boolean {
  return newlyMissing >= MASS_REMOVAL_PAGES && newlyMissing > present * MASS_REMOVAL_SHARE;
}
