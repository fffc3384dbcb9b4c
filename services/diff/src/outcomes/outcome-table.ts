import type { Observation, PriorState } from '../domain/page-reading.ts';

/** What becomes of a page in a record. */
export type PageOutcome = 'added' | 'removed' | 'modified' | 'same' | 'withheld' | 'unverified' | 'skipped';

/** Why a page has its outcome, where the outcome alone doesn't say. */
export type OutcomeReason =
  | 'not_reached'
  | 'robots_changed'
  | 'unreadable'
  | 'unreadable_at_second_look'
  | 'first_reading'
  | 'baseline_incomplete'
  | 'came_into_scope'
  | 'seen_gone_once'
  | 'looks_gone'
  | 'removals_withheld'
  | 'redirected_elsewhere'
  | 'configuration_changed'
  | 'rules_changed'
  | 'method_changed'
  | 'language_changed'
  | 'shell'
  | 'content_lost';

/**
 * What a cell of the table asks for.
 * - compare: `same` or `modified`, against the last good reading
 * - twice: `removed` once two looks agree, in this run or the one before; until then evidence without a verdict
 * - next run: `removed` once the next run agrees
 * - probe: nobody linked there this time, so the page is looked at directly
 * - new, returned: `added`, or why not
 * - no page: nobody ever read it, and nobody can now: no page on either side
 */
export type OutcomeRule =
  | 'compare'
  | 'twice'
  | 'next run'
  | 'probe'
  | 'new'
  | 'returned'
  | 'first reading'
  | 'unverified'
  | 'withheld'
  | 'skipped'
  | 'no page';

/** The outcome of every page: by what is known of it, and by what the run saw of it. */
export const OUTCOME_TABLE: Readonly<Record<PriorState, Readonly<Record<Observation, OutcomeRule>>>> = {
  read: {
    read: 'compare',
    missing: 'twice',
    soft_missing: 'next run',
    unreadable: 'unverified',
    robots: 'withheld',
    skipped: 'skipped',
    unreached: 'probe',
  },
  stale: {
    read: 'compare',
    missing: 'next run',
    soft_missing: 'unverified',
    unreadable: 'unverified',
    robots: 'withheld',
    skipped: 'skipped',
    unreached: 'withheld',
  },
  unread: {
    read: 'first reading',
    missing: 'no page',
    soft_missing: 'no page',
    unreadable: 'unverified',
    robots: 'no page',
    skipped: 'skipped',
    unreached: 'no page',
  },
  gone: {
    read: 'returned',
    missing: 'no page',
    soft_missing: 'no page',
    unreadable: 'unverified',
    robots: 'no page',
    skipped: 'skipped',
    unreached: 'no page',
  },
  absent: {
    read: 'new',
    missing: 'no page',
    soft_missing: 'no page',
    unreadable: 'unverified',
    robots: 'no page',
    skipped: 'skipped',
    unreached: 'no page',
  },
};

/**
 * Whether a page counts: it was read before and its removal not told, or the run met one. Every page that counts has exactly one
 * outcome; an address that never held a page has none.
 */
export function countsAsPage(priorState: PriorState, observation: Observation): boolean {
  if (priorState === 'read' || priorState === 'stale') return true;
  return observation === 'read' || observation === 'unreadable' || observation === 'skipped';
}
