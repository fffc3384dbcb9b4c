/** Why what a run did not see says nothing about the site. */
export type CoverageReason =
  | 'no_baseline'
  | 'listed_only'
  | 'stop_limit'
  | 'stop_cancelled'
  | 'stop_budget'
  | 'stop_time'
  | 'stop_error'
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
  /** The run saw all there was to see. */
  readonly complete: boolean;
  readonly reasons: readonly CoverageReason[];
  /** Pages known before, in scope. */
  readonly known: number;
  readonly read: number;
  /** Pages that were asked for and could not be read, and known ones nobody came to. */
  readonly unread: number;
  readonly probed: number;
  readonly baselineComplete: boolean;
  /** Known pages that the scope no longer admits: they are in no count. */
  readonly outOfScope: number;
}

/** The run a record is made of. */
export interface RecordedRun {
  readonly id: string;
  readonly projectId: string;
  readonly isRecrawl: boolean;
  /** done, error, cancelled. */
  readonly status: string;
  /** finished, page_limit, credit_limit, time_limit, cancelled, site_down, login_dead. */
  readonly stop: string;
  readonly isSeedRead: boolean;
  /** What the run wanted of the site's own lists and could not read. */
  readonly isSitemapUnreadable: boolean;
  readonly isRobotsUnreadable: boolean;
  readonly scopeHash: string;
  readonly finishedAt: string;
}

/** The last full run before it. */
export interface Baseline {
  readonly runId: string;
  readonly startedAtMs: number;
  /** Its own record's coverage was complete. */
  readonly isComplete: boolean;
  readonly scopeHash: string;
}

/** What going through the pages of a run found. */
export interface ScanCounts {
  readonly known: number;
  readonly read: number;
  readonly unreadable: number;
  readonly unreached: number;
  readonly verified: number;
  /** Known pages that look gone for the first time. */
  readonly newlyGone: number;
  readonly outOfScope: number;
  /** Pages answer with one and the same face that had faces of their own. */
  readonly hasGenericPage: boolean;
}

const STOPS: Readonly<Record<string, CoverageReason>> = {
  page_limit: 'stop_limit',
  cancelled: 'stop_cancelled',
  credit_limit: 'stop_budget',
  time_limit: 'stop_time',
  site_down: 'seed_failed',
  login_dead: 'login_expired',
};

/** More than this share of the pages asked for could not be read: the site keeps us out. */
const BLOCKED_SHARE = 0.2;
/** More than this share of the known pages gone at once is an outage until the next run agrees. */
const MASS_REMOVAL_SHARE = 0.3;
/** One or two pages are no mass, however small the site. */
const MASS_REMOVAL_PAGES = 3;

/** Reasons for which the run ended before it saw everything. */
const INCOMPLETE_REASONS: ReadonlySet<CoverageReason> = new Set([
  'listed_only',
  'stop_limit',
  'stop_cancelled',
  'stop_budget',
  'stop_time',
  'stop_error',
  'seed_failed',
  'sitemap_unreadable',
  'robots_unreadable',
  'login_expired',
  'blocked_share',
]);

/** Reasons for which even a plain 404 is no proof until the next run agrees. */
const DOUBTFUL_REASONS: ReadonlySet<CoverageReason> = new Set([
  'seed_failed',
  'login_expired',
  'blocked_share',
  'mass_removal',
  'host_fingerprint_changed',
]);

/** Reasons for which nothing more is fetched: the run was at an end of its means, or was told to stop. */
const NO_VERIFICATION_REASONS: ReadonlySet<CoverageReason> = new Set([
  'stop_limit',
  'stop_cancelled',
  'stop_budget',
  'stop_time',
  'stop_error',
  ...DOUBTFUL_REASONS,
]);

/** What a run's record may claim. */
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
  };
}

/** One more thing for which a record is no verdict. */
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
  const stop = run.status === 'error' ? 'stop_error' : run.status === 'cancelled' ? 'stop_cancelled' : STOPS[run.stop];
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
  const others = found.filter(([, holds]) => holds).map(([reason]) => reason);
  return stop === undefined || stop === 'seed_failed' ? others : [stop, ...others];
}

function isMassRemoval({ newlyGone, known }: ScanCounts): boolean {
  return newlyGone >= MASS_REMOVAL_PAGES && newlyGone > known * MASS_REMOVAL_SHARE;
}
