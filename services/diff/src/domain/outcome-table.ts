import type { Observation, PriorState } from './page-reading.ts';

/** The outcome of a page in a record. */
export type PageOutcome =
  | 'added'
  | 'removed'
  | 'modified'
  | 'same'
  | 'withheld'
  | 'unverified'
  | 'skipped'
  | 'machineRead';

/** The reason for an outcome that is not self-explanatory. */
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
 * Rule of a cell of the outcome table.
 * - compare: `same` or `modified`, by comparison with the last good reading
 * - confirm: `removed` once two observations agree, in this run or the previous one; withheld until then
 * - confirm next run: `removed` once the next run agrees
 * - verify: the run did not reach the page, so it is fetched for verification
 * - new, returned: `added`, or withheld with a reason
 * - machine file: a feed, a sitemap or the like, which is no content
 * - no page: never readable, and not readable now
 */
export type OutcomeRule =
  | 'compare'
  | 'confirm'
  | 'confirm next run'
  | 'verify'
  | 'new'
  | 'returned'
  | 'first reading'
  | 'unverified'
  | 'withheld'
  | 'skipped'
  | 'machine file'
  | 'no page';

/** The rule for every page, by its prior state and by what the run observed. */
export const OUTCOME_TABLE: Readonly<Record<PriorState, Readonly<Record<Observation, OutcomeRule>>>> = {
  read: {
    read: 'compare',
    missing: 'confirm',
    soft_missing: 'confirm next run',
    unreadable: 'unverified',
    robots: 'withheld',
    skipped: 'skipped',
    machine_read: 'machine file',
    unreached: 'verify',
  },
  stale: {
    read: 'compare',
    missing: 'confirm next run',
    soft_missing: 'unverified',
    unreadable: 'unverified',
    robots: 'withheld',
    skipped: 'skipped',
    machine_read: 'machine file',
    unreached: 'withheld',
  },
  unread: {
    read: 'first reading',
    missing: 'no page',
    soft_missing: 'no page',
    unreadable: 'unverified',
    robots: 'no page',
    skipped: 'skipped',
    machine_read: 'machine file',
    unreached: 'no page',
  },
  gone: {
    read: 'returned',
    missing: 'no page',
    soft_missing: 'no page',
    unreadable: 'unverified',
    robots: 'no page',
    skipped: 'skipped',
    machine_read: 'machine file',
    unreached: 'no page',
  },
  absent: {
    read: 'new',
    missing: 'no page',
    soft_missing: 'no page',
    unreadable: 'unverified',
    robots: 'no page',
    skipped: 'skipped',
    machine_read: 'machine file',
    unreached: 'no page',
  },
};

/**
 * Whether a page counts: it was readable and is not reported as removed, or the run reached it. Every page that counts
 * has exactly one outcome.
 */
export function countsAsPage(priorState: PriorState, observation: Observation): boolean {
  if (priorState === 'read' || priorState === 'stale') return true;
  return (
    observation === 'read' ||
    observation === 'unreadable' ||
    observation === 'skipped' ||
    observation === 'machine_read'
  );
}
