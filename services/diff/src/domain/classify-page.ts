import { OUTCOME_TABLE, type OutcomeReason } from './outcome-table.ts';
import type { Observation, PriorState } from './page-reading.ts';

/** Inputs of the outcome of a page, before its content is compared. */
export interface Evidence {
  readonly priorState: PriorState;
  readonly observation: Observation;
  /** Number of consecutive earlier runs in which it looked removed. */
  readonly absences: number;
  /** Observation of the verification; absent: not verified. */
  readonly verification?: Observation;
  /** The site's responses are in doubt: removals are withheld until the next run confirms them. */
  readonly isDoubtful: boolean;
  /** An unknown page counts as added: the baseline was complete, or the page is newer than the baseline. */
  readonly isReportableAsNew: boolean;
  /** The page was outside the scope of the baseline. */
  readonly cameIntoScope: boolean;
  /** Its URL redirects to another page. */
  readonly isRedirected: boolean;
}

/** `compare`: the content decides between same and modified. `none`: no page before and none now. */
export type Classification =
  | { readonly outcome: 'compare'; readonly of: 'run' | 'verification' }
  | { readonly outcome: 'added'; readonly isReturned: boolean }
  | { readonly outcome: 'removed' | 'skipped' | 'machineRead' | 'none' }
  | { readonly outcome: 'withheld' | 'unverified'; readonly reason: OutcomeReason };

const unverified = (reason: OutcomeReason): Classification => ({ outcome: 'unverified', reason });
const withheld = (reason: OutcomeReason): Classification => ({ outcome: 'withheld', reason });

/** Returns the outcome of one page by the outcome table. */
export function classifyPage(evidence: Evidence): Classification {
  const { priorState, observation } = evidence;
  switch (OUTCOME_TABLE[priorState][observation]) {
    case 'compare':
      return { outcome: 'compare', of: 'run' };
    case 'confirm':
      return evidence.absences > 0 ? { outcome: 'removed' } : afterVerification(evidence);
    case 'confirm next run':
      return confirmByNextRun(evidence);
    case 'verify':
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
    case 'machine file':
      return { outcome: 'machineRead' };
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

/** Returns the outcome of a missing or unreached page after its verification. */
function afterVerification(evidence: Evidence): Classification {
  const { verification = 'unreached' } = evidence;
  switch (verification) {
    case 'read':
      return { outcome: 'compare', of: 'verification' };
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
    case 'machine_read':
      return { outcome: 'machineRead' };
    case 'unreached':
      return withheld(evidence.isDoubtful ? 'removals_withheld' : 'seen_gone_once');
  }
}
