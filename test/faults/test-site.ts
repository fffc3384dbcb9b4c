import { type SiteStats, startSite, type TruePage } from '@tidemark/bench/site';

/** A site of many pages in its own process. It states what a correct crawl finds and counts its requests. */
export interface TestSite {
  readonly base: string;
  /** URLs that a correct crawl has a row of: status 200, linked or declared, and allowed by robots.txt. */
  readonly reachable: ReadonlySet<string>;
  readonly disallowed: ReadonlySet<string>;
  stats(): Promise<SiteStats>;
  /** Resets the request counts. */
  reset(): Promise<void>;
  close(): void;
}

/** The crawls of these tests name no feed, so that its pages are not found. */
const isReachable = ({ status, reach, isAllowed }: TruePage): boolean =>
  status === 200 && reach !== 'none' && reach !== 'feed' && isAllowed;

/** Starts the test site of bench/site. */
export async function startTestSite({ pages }: { readonly pages: number }): Promise<TestSite> {
  const site = await startSite({ pages, prewarm: true });
  return {
    base: site.base,
    reachable: new Set(await site.urls(isReachable)),
    disallowed: new Set(await site.urls(({ isAllowed }) => !isAllowed)),
    stats: () => site.stats(),
    reset: () => site.reset(),
    close: () => site.stop(),
  };
}
