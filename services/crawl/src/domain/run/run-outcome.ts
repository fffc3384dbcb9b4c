import type { StopReason } from '@tidemark/contracts/stop-reasons';
import { isReadVerdict, pagesRead } from '@tidemark/contracts/verdicts';
import { RECRAWL, type Run } from './run.ts';
import { pages } from './run-log-text.ts';

/** Pages of a run that ended alike. */
export interface PageEnds {
  readonly verdict: string;
  readonly errorCode: string;
  /** Their host was given up: it did not respond, or its robots.txt could not be read. */
  readonly isHostGivenUp: boolean;
  readonly pages: number;
}

/** How a run ends. `error` without a stop reason is a failure of this service. */
export type RunOutcome =
  | { readonly status: 'done'; readonly stop: StopReason }
  | { readonly status: 'error'; readonly stop: FailedStop | undefined; readonly error: string };

/** Why no page of a run could be read. */
type FailedStop = 'site_down' | 'refused' | 'robots';

/**
 * What a run learned of a page. `missing`: the site states that it does not exist, which is a result. `unpaid`: the credits were not
 * sufficient for the engine that reads it. `lost`: a failure of this service.
 */
type Finding = FailedStop | 'read' | 'missing' | 'unpaid' | 'lost';

/** In the order of precedence where two are equally frequent. */
const UNREAD: readonly Exclude<Finding, 'read'>[] = ['site_down', 'refused', 'robots', 'lost', 'missing', 'unpaid'];

/** Stop reasons that stay as they are where no page was read: the owner, not the site, ended the run. */
const OWN_STOPS: readonly StopReason[] = ['cancelled', 'login_dead'];

/** Returns what a run learned of pages that ended alike. */
function findingOf({ verdict, errorCode, isHostGivenUp }: PageEnds): Finding {
  if (isReadVerdict(verdict)) return 'read';
  if (verdict === 'lost') return 'lost';
  if (isHostGivenUp) return 'site_down';
  if (verdict === 'robots') return 'robots';
  switch (errorCode) {
    case 'NETWORK':
    case 'TIMEOUT':
      return 'site_down';
    case 'NOT_FOUND':
      return 'missing';
    case 'BUDGET_EXHAUSTED':
      return 'unpaid';
    default:
      return 'refused';
  }
}

/**
 * Decides how a run ends whose pages have all ended. A run of which no page could be read fails with the most frequent reason: the site did not
 * respond (site_down), refused the pages (refused), or its robots.txt disallows them (robots); equally frequent ones in this order. It does not
 * fail where most pages do not exist, where credits ran out before it could read any, or where it had no pages.
 */
export function outcomeOf(stop: StopReason, ends: readonly PageEnds[]): RunOutcome {
  const counts = new Map<Finding, number>();
  for (const end of ends) {
    const finding = findingOf(end);
    counts.set(finding, (counts.get(finding) ?? 0) + end.pages);
  }
  const countOf = (finding: Finding): number => counts.get(finding) ?? 0;
  if (OWN_STOPS.includes(stop) || countOf('read') > 0) return { status: 'done', stop };
  const most = Math.max(...UNREAD.map(countOf));
  const reason = most === 0 ? undefined : UNREAD.find((finding) => countOf(finding) === most);
  switch (reason) {
    case undefined:
    case 'missing':
    case 'unpaid':
      return { status: 'done', stop };
    case 'lost':
      return { status: 'error', stop: undefined, error: 'no page could be read because of an internal error' };
    default:
      return { status: 'error', stop: reason, error: `no page could be read: ${whyUnread(countOf)}` };
  }
}

/** Returns the reasons for which pages were not read, each with its number of pages. */
function whyUnread(countOf: (finding: Finding) => number): string {
  return UNREAD.filter((finding) => countOf(finding) > 0)
    .map((finding) => UNREAD_TEXTS[finding](countOf(finding)))
    .join(', ');
}

const UNREAD_TEXTS: Readonly<Record<Exclude<Finding, 'read'>, (count: number) => string>> = {
  site_down: (count) => `the site did not respond for ${pages(count)}`,
  refused: (count) => `the site refused ${pages(count)}`,
  robots: (count) => `robots.txt disallows ${pages(count)}`,
  lost: (count) => `${pages(count)} lost because of an internal error`,
  missing: (count) => `${pages(count)} not found`,
  unpaid: (count) => `${pages(count)} not paid for`,
};

/**
 * Returns whether a run with this end may show the present state of its project and be a baseline: it is done, read pages and covers the site.
 * A failed or cancelled run never does, nor does a recrawl of listed pages.
 */
export const hasCoverage = (
  { trigger, verdicts }: Pick<Run, 'trigger' | 'verdicts'>,
  status: 'done' | 'error' | 'cancelled',
): boolean => status === 'done' && trigger !== RECRAWL && pagesRead(verdicts) > 0;
