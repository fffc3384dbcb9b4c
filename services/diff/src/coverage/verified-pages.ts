import { observationOf, type PageReading } from '../domain/page-reading.ts';
import type { Coverage } from './run-coverage.ts';
import type { RunScan } from './scan-run.ts';

/** Readings from the verification of missing pages. */
export interface SortedVerifications {
  /** Readings of the missing pages themselves, by page key. */
  readonly verified: ReadonlyMap<string, PageReading>;
  /** Readings by the key of the URL that redirects to them now, from the run and from verification. */
  readonly redirects: RunScan['redirects'];
}

/** Separates verification results that landed on the page itself from those that were redirected to another page. */
export function sortVerifications(
  { redirects, missing }: RunScan,
  results: ReadonlyMap<string, PageReading>,
): SortedVerifications {
  const verified = new Map<string, PageReading>();
  const allRedirects = new Map(redirects);
  for (const [pageKey, reading] of results) {
    // The run found the page missing; a refused verification does not contradict that.
    if (missing.has(pageKey) && observationOf(reading) === 'unreadable') continue;
    if (reading.pageKey === pageKey) verified.set(pageKey, reading);
    // The run found the page missing and verification was redirected: contradictory results decide nothing.
    else if (!missing.has(pageKey)) allRedirects.set(pageKey, reading);
  }
  return { verified, redirects: allRedirects };
}

/**
 * Returns the reading to store as known for an unlinked page that verification could read. With complete coverage its
 * in-link count becomes 0, so that it is reported as orphaned once; otherwise that of its last good capture is kept.
 */
export function asKnownReading(reading: PageReading, lastGood: PageReading, coverage: Coverage): PageReading {
  const inLinks = coverage.complete ? 0 : lastGood.inLinks;
  return inLinks === undefined ? reading : { ...reading, inLinks };
}
