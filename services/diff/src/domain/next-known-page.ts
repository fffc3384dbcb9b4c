import type { Classification } from './classify-page.ts';
import { type KnownPage, type Observation, type PageReading, type PageVariant, verdictLabel } from './page-reading.ts';

/** Inputs of the state of a page after a record. */
export interface EvaluatedPage {
  readonly known: KnownPage | undefined;
  /** The reading that decided the outcome: the run's, or that of the verification. */
  readonly reading: PageReading | undefined;
  readonly observation: Observation;
  readonly outcome: Classification['outcome'];
  /** The reading is in another language or by another engine: it does not replace the last good one. */
  readonly variant?: PageVariant;
}

/**
 * Returns the state of a page after the record; undefined: unchanged. An unreadable reading never replaces the last
 * good one.
 */
export function nextKnownPage({ known, reading, observation, outcome, variant }: EvaluatedPage): KnownPage | undefined {
  const earlier = known ?? (reading === undefined ? undefined : newKnownPage(reading));
  if (earlier === undefined) return undefined;
  const page = reading === undefined ? earlier : { ...earlier, lastStatus: reading.httpStatus };
  const lastVerdict = reading === undefined ? page.lastVerdict : verdictLabel(reading);
  if (outcome === 'removed') return removedPage(page, lastVerdict);
  switch (observation) {
    case 'read':
      if (variant !== undefined) return { ...page, state: 'read', lastVerdict, absences: 0, variant };
      return reading && { ...newKnownPage(reading), state: 'read', lastGood: reading, lastVerdict };
    case 'missing':
    case 'soft_missing':
      // A page that was never readable does not count.
      return page.lastGood === undefined ? undefined : { ...page, lastVerdict, absences: page.absences + 1 };
    case 'unreadable':
    case 'robots':
      return { ...page, state: stateAfterRefusal(page), lastVerdict, absences: 0 };
    case 'skipped':
      return { ...page, lastVerdict, absences: 0 };
    case 'machine_read':
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

/** A page reported as removed keeps that state until it is readable again. */
function stateAfterRefusal({ state, lastGood }: Pick<KnownPage, 'state' | 'lastGood'>): KnownPage['state'] {
  if (state === 'gone') return 'gone';
  return lastGood === undefined ? 'unread' : 'stale';
}
