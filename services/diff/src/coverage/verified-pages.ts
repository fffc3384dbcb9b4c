import { observationOf, type PageReading } from '../domain/page-reading.ts';
import type { Coverage } from './run-coverage.ts';
import type { RunScan } from './scan-run.ts';

/** What direct looks at known pages saw, by whose page it was. */
export interface SortedVerifications {
  /** Looks at the pages themselves. */
  readonly verified: ReadonlyMap<string, PageReading>;
  /** Where addresses lead now that were other pages: those the run met, and those that were looked at. */
  readonly redirects: RunScan['redirects'];
}

/** A look that was led to the address of another page saw that page, and tells where this one is found now. */
export function sortVerifications(
  { redirects, missing }: RunScan,
  results: ReadonlyMap<string, PageReading>,
): SortedVerifications {
  const verified = new Map<string, PageReading>();
  const allRedirects = new Map(redirects);
  for (const [pageKey, reading] of results) {
    // The run was told that the page is gone: that a look was refused takes nothing from that.
    if (missing.has(pageKey) && observationOf(reading) === 'unreadable') continue;
    if (reading.pageKey === pageKey) verified.set(pageKey, reading);
    // The run was told that the page is gone: two answers that contradict each other decide nothing.
    else if (!missing.has(pageKey)) allRedirects.set(pageKey, reading);
  }
  return { verified, redirects: allRedirects };
}

/** A page that nobody linked to and that a look could read, as the next record finds it: that nobody links there is told once. */
export function asKnownReading(reading: PageReading, good: PageReading, coverage: Coverage): PageReading {
  const inLinks = coverage.complete ? 0 : good.inLinks;
  return inLinks === undefined ? reading : { ...reading, inLinks };
}
