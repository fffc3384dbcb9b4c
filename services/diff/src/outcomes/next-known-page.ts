import { type KnownPage, type Observation, type PageReading, verdictLabel } from '../domain/page-reading.ts';
import type { Classification } from './classify-page.ts';

/** What a record leaves known of a page, for the next one. */
export interface EvaluatedPage {
  readonly known: KnownPage | undefined;
  /** The reading the page was judged by: the run's, or a second look's. */
  readonly reading: PageReading | undefined;
  readonly observation: Observation;
  readonly outcome: Classification['outcome'];
}

/** The page as the next record finds it; undefined: nothing is to be written. A refused reading never becomes a baseline. */
export function nextKnownPage({ known, reading, observation, outcome }: EvaluatedPage): KnownPage | undefined {
  const page = known ?? (reading === undefined ? undefined : newKnownPage(reading));
  if (page === undefined) return undefined;
  const lastVerdict = reading === undefined ? page.lastVerdict : verdictLabel(reading);
  if (outcome === 'removed') return removedPage(page, lastVerdict);
  switch (observation) {
    case 'read':
      return reading && { ...newKnownPage(reading), state: 'read', lastGood: reading, lastVerdict };
    case 'missing':
    case 'soft_missing':
      // A page nobody ever read is none.
      return page.lastGood === undefined ? undefined : { ...page, lastVerdict, absences: page.absences + 1 };
    case 'unreadable':
    case 'robots':
      return { ...page, state: stateAfterRefusal(page), lastVerdict, absences: 0 };
    case 'skipped':
      return { ...page, lastVerdict, absences: 0 };
    case 'unreached':
      return undefined;
  }
}

function newKnownPage({ pageKey, url }: PageReading): KnownPage {
  return { pageKey, url, state: 'unread', lastVerdict: '', absences: 0 };
}

function removedPage({ pageKey, url, absences }: KnownPage, lastVerdict: string): KnownPage {
  return { pageKey, url, state: 'gone', lastVerdict, absences: absences + 1 };
}

/** A page whose removal was told stays gone until it is read again. */
function stateAfterRefusal({ state, lastGood }: Pick<KnownPage, 'state' | 'lastGood'>): KnownPage['state'] {
  if (state === 'gone') return 'gone';
  return lastGood === undefined ? 'unread' : 'stale';
}
