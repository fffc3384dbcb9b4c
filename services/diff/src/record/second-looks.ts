import { type PageReading, sightOf } from './page-reading.ts';
import type { Coverage } from './run-coverage.ts';
import type { Survey } from './survey-run.ts';

/** What direct looks at known pages saw, by whose page it was. */
export interface SortedLooks {
  /** Looks at the pages themselves. */
  readonly looks: ReadonlyMap<string, PageReading>;
  /** Where addresses lead now that were other pages: those the run met, and those that were looked at. */
  readonly redirects: Survey['redirects'];
}

/** A look that was led to the address of another page saw that page, and tells where this one is found now. */
export function sortLooks({ redirects, missed }: Survey, seen: ReadonlyMap<string, PageReading>): SortedLooks {
  const looks = new Map<string, PageReading>();
  const led = new Map(redirects);
  for (const [pageKey, look] of seen) {
    // The run was told that the page is gone: that a look was refused takes nothing from that.
    if (missed.has(pageKey) && sightOf(look) === 'unreadable') continue;
    if (look.pageKey === pageKey) looks.set(pageKey, look);
    // The run was told that the page is gone: two answers that contradict each other decide nothing.
    else if (!missed.has(pageKey)) led.set(pageKey, look);
  }
  return { looks, redirects: led };
}

/** A page that nobody linked to and that a look could read, as the next record finds it: that nobody links there is told once. */
export function afterLook(look: PageReading, good: PageReading, coverage: Coverage): PageReading {
  const inLinks = coverage.complete ? 0 : good.inLinks;
  return inLinks === undefined ? look : { ...look, inLinks };
}
