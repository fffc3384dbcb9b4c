import { OUTCOME_TABLE, type OutcomeReason } from './outcome-table.ts';
import type { Sight, Standing } from './page-reading.ts';

/** What decides a page's outcome before its words are looked at. */
export interface Evidence {
  readonly standing: Standing;
  readonly sight: Sight;
  /** Runs in a row before this one in which it looked gone. */
  readonly absences: number;
  /** What the second, direct look saw; absent: nobody may look, or nobody did. */
  readonly secondLook?: Sight;
  /** The site's answers are in doubt: what looks gone is held back until the next run agrees. */
  readonly isInDoubt: boolean;
  /** A page nobody knew is a new one: the baseline saw all there was where it is, or the page is younger. */
  readonly isNewsworthy: boolean;
  /** The scope did not admit it when the baseline was made. */
  readonly cameIntoScope: boolean;
  /** Its address leads to another page now. */
  readonly isRedirected: boolean;
}

/** `compare`: the words decide between same and modified. `none`: no page on either side. */
export type Judgement =
  | { readonly outcome: 'compare'; readonly of: 'run' | 'second look' }
  | { readonly outcome: 'added'; readonly isReturned: boolean }
  | { readonly outcome: 'removed' | 'skipped' | 'none' }
  | { readonly outcome: 'withheld' | 'unverified'; readonly reason: OutcomeReason };

const unverified = (reason: OutcomeReason): Judgement => ({ outcome: 'unverified', reason });
const withheld = (reason: OutcomeReason): Judgement => ({ outcome: 'withheld', reason });

/** The outcome of one page: the outcome table, cell by cell. */
export function judgePage(evidence: Evidence): Judgement {
  const { standing, sight } = evidence;
  switch (OUTCOME_TABLE[standing][sight]) {
    case 'compare':
      return { outcome: 'compare', of: 'run' };
    case 'twice':
      return evidence.absences > 0 ? { outcome: 'removed' } : lookedTwice(evidence);
    case 'next run':
      return nextRun(evidence);
    case 'probe':
      return evidence.secondLook === undefined ? withheld('not_reached') : lookedTwice(evidence);
    case 'new':
      return added(evidence);
    case 'returned':
      return { outcome: 'added', isReturned: true };
    case 'first reading':
      return unverified('first_reading');
    case 'unverified':
      return unverified(sight === 'soft_missing' ? 'looks_gone' : 'unreadable');
    case 'withheld':
      return withheld(sight === 'robots' ? 'robots_changed' : 'not_reached');
    case 'skipped':
      return { outcome: 'skipped' };
    case 'no page':
      return { outcome: 'none' };
  }
}

function added({ isNewsworthy, cameIntoScope }: Evidence): Judgement {
  if (cameIntoScope) return withheld('came_into_scope');
  return isNewsworthy ? { outcome: 'added', isReturned: false } : withheld('baseline_incomplete');
}

function nextRun({ absences, isRedirected }: Evidence): Judgement {
  if (absences > 0) return { outcome: 'removed' };
  return unverified(isRedirected ? 'redirected_elsewhere' : 'looks_gone');
}

/** A page that was missed or not reached, after it was looked at directly. */
function lookedTwice(evidence: Evidence): Judgement {
  const { secondLook = 'unreached' } = evidence;
  switch (secondLook) {
    case 'read':
      return { outcome: 'compare', of: 'second look' };
    case 'missing':
      if (!evidence.isInDoubt || evidence.absences > 0) return { outcome: 'removed' };
      return withheld('removals_withheld');
    case 'soft_missing':
      return nextRun(evidence);
    case 'unreadable':
      return unverified('unreadable_at_second_look');
    case 'robots':
      return withheld('robots_changed');
    case 'skipped':
      return { outcome: 'skipped' };
    case 'unreached':
      return withheld(evidence.isInDoubt ? 'removals_withheld' : 'seen_gone_once');
  }
}
