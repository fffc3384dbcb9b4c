import type { Observation, PriorState } from '../domain/page-reading.ts';
import { OUTCOME_TABLE, type OutcomeReason } from './outcome-table.ts';

/** What decides a page's outcome before its words are looked at. */
export interface Evidence {
  readonly priorState: PriorState;
  readonly observation: Observation;
  /** Runs in a row before this one in which it looked gone. */
  readonly absences: number;
  /** What the second, direct look saw; absent: nobody may look, or nobody did. */
  readonly verification?: Observation;
  /** The site's answers are in doubt: what looks gone is held back until the next run agrees. */
  readonly isDoubtful: boolean;
  /** A page nobody knew is a new one: the baseline saw all there was where it is, or the page is younger. */
  readonly isReportableAsNew: boolean;
  /** The scope did not admit it when the baseline was made. */
  readonly cameIntoScope: boolean;
  /** Its address leads to another page now. */
  readonly isRedirected: boolean;
}

/** `compare`: the words decide between same and modified. `none`: no page on either side. */
export type Classification =
  | { readonly outcome: 'compare'; readonly of: 'run' | 'second look' }
  | { readonly outcome: 'added'; readonly isReturned: boolean }
  | { readonly outcome: 'removed' | 'skipped' | 'none' }
  | { readonly outcome: 'withheld' | 'unverified'; readonly reason: OutcomeReason };

const unverified = (reason: OutcomeReason): Classification => ({ outcome: 'unverified', reason });
const withheld = (reason: OutcomeReason): Classification => ({ outcome: 'withheld', reason });

/** The outcome of one page: the outcome table, cell by cell. */
export function classifyPage(evidence: Evidence): Classification {
  const { priorState, observation } = evidence;
  switch (OUTCOME_TABLE[priorState][observation]) {
    case 'compare':
      return { outcome: 'compare', of: 'run' };
    case 'twice':
      return evidence.absences > 0 ? { outcome: 'removed' } : afterVerification(evidence);
    case 'next run':
      return confirmByNextRun(evidence);
    case 'probe':
      return evidence.verification === undefined ? withheld('not_reached') : afterVerification(evidence);
    case 'new':
      return newPage(evidence);
    case 'returned':
      return { outcome: 'added', isReturned: true };
    case 'first reading':
      return unverified('first_reading');
    case 'unverified':
      return unverified(observation === 'soft_missing' ? 'looks_gone' : 'unreadable');
    case 'withheld':
      return withheld(observation === 'robots' ? 'robots_changed' : 'not_reached');
    case 'skipped':
      return { outcome: 'skipped' };
    case 'no page':
      return { outcome: 'none' };
  }
}

function newPage({ isReportableAsNew, cameIntoScope }: Evidence): Classification {
  if (cameIntoScope) return withheld('came_into_scope');
  return isReportableAsNew ? { outcome: 'added', isReturned: false } : withheld('baseline_incomplete');
}

function confirmByNextRun({ absences, isRedirected }: Evidence): Classification {
  if (absences > 0) return { outcome: 'removed' };
  return unverified(isRedirected ? 'redirected_elsewhere' : 'looks_gone');
}

/** A page that was missed or not reached, after it was looked at directly. */
function afterVerification(evidence: Evidence): Classification {
  const { verification = 'unreached' } = evidence;
  switch (verification) {
    case 'read':
      return { outcome: 'compare', of: 'second look' };
    case 'missing':
      if (!evidence.isDoubtful || evidence.absences > 0) return { outcome: 'removed' };
      return withheld('removals_withheld');
    case 'soft_missing':
      return confirmByNextRun(evidence);
    case 'unreadable':
      return unverified('unreadable_at_second_look');
    case 'robots':
      return withheld('robots_changed');
    case 'skipped':
      return { outcome: 'skipped' };
    case 'unreached':
      return withheld(evidence.isDoubtful ? 'removals_withheld' : 'seen_gone_once');
  }
}
