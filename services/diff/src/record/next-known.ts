import type { Judgement } from './judge-page.ts';
import { type KnownPage, type PageReading, type Sight, saidVerdict } from './page-reading.ts';

/** What a record leaves known of a page, for the next one. */
export interface PageEnd {
  readonly known: KnownPage | undefined;
  /** The reading the page was judged by: the run's, or a second look's. */
  readonly reading: PageReading | undefined;
  readonly sight: Sight;
  readonly outcome: Judgement['outcome'];
}

/** The page as the next record finds it; undefined: nothing is to be written. A refused reading never becomes a baseline. */
export function nextKnown({ known, reading, sight, outcome }: PageEnd): KnownPage | undefined {
  const met = known ?? (reading === undefined ? undefined : unmet(reading));
  if (met === undefined) return undefined;
  const lastVerdict = reading === undefined ? met.lastVerdict : saidVerdict(reading);
  if (outcome === 'removed') return gone(met, lastVerdict);
  switch (sight) {
    case 'read':
      return reading && { ...unmet(reading), state: 'read', good: reading, lastVerdict };
    case 'missing':
    case 'soft_missing':
      // A page nobody ever read is none.
      return met.good === undefined ? undefined : { ...met, lastVerdict, absences: met.absences + 1 };
    case 'unreadable':
    case 'robots':
      return { ...met, state: afterRefusal(met), lastVerdict, absences: 0 };
    case 'skipped':
      return { ...met, lastVerdict, absences: 0 };
    case 'unreached':
      return undefined;
  }
}

function unmet({ pageKey, url }: PageReading): KnownPage {
  return { pageKey, url, state: 'unread', lastVerdict: '', absences: 0 };
}

function gone({ pageKey, url, absences }: KnownPage, lastVerdict: string): KnownPage {
  return { pageKey, url, state: 'gone', lastVerdict, absences: absences + 1 };
}

/** A page whose removal was told stays gone until it is read again. */
function afterRefusal({ state, good }: Pick<KnownPage, 'state' | 'good'>): KnownPage['state'] {
  if (state === 'gone') return 'gone';
  return good === undefined ? 'unread' : 'stale';
}
