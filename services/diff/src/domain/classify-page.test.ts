import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { classifyPage, type Evidence } from './classify-page.ts';
import { countsAsPage, OUTCOME_TABLE } from './outcome-table.ts';
import type { Observation, PriorState } from './page-reading.ts';

const evidence = (priorState: PriorState, observation: Observation, more: Partial<Evidence> = {}): Evidence => ({
  priorState,
  observation,
  absences: 0,
  isDoubtful: false,
  isReportableAsNew: true,
  cameIntoScope: false,
  isRedirected: false,
  ...more,
});

const classified = (priorState: PriorState, observation: Observation, more: Partial<Evidence> = {}): string => {
  const classification = classifyPage(evidence(priorState, observation, more));
  return 'reason' in classification ? `${classification.outcome}: ${classification.reason}` : classification.outcome;
};

/** Expected results without verification and without earlier absences. */
const CELLS: Readonly<Record<PriorState, Readonly<Record<Observation, string>>>> = {
  read: {
    read: 'compare',
    missing: 'withheld: seen_gone_once',
    soft_missing: 'unverified: looks_gone',
    unreadable: 'unverified: unreadable',
    robots: 'withheld: robots_changed',
    skipped: 'skipped',
    machine_read: 'machineRead',
    unreached: 'withheld: not_reached',
  },
  stale: {
    read: 'compare',
    missing: 'unverified: looks_gone',
    soft_missing: 'unverified: looks_gone',
    unreadable: 'unverified: unreadable',
    robots: 'withheld: robots_changed',
    skipped: 'skipped',
    machine_read: 'machineRead',
    unreached: 'withheld: not_reached',
  },
  unread: {
    read: 'unverified: first_reading',
    missing: 'none',
    soft_missing: 'none',
    unreadable: 'unverified: unreadable',
    robots: 'none',
    skipped: 'skipped',
    machine_read: 'machineRead',
    unreached: 'none',
  },
  gone: {
    read: 'added',
    missing: 'none',
    soft_missing: 'none',
    unreadable: 'unverified: unreadable',
    robots: 'none',
    skipped: 'skipped',
    machine_read: 'machineRead',
    unreached: 'none',
  },
  absent: {
    read: 'added',
    missing: 'none',
    soft_missing: 'none',
    unreadable: 'unverified: unreadable',
    robots: 'none',
    skipped: 'skipped',
    machine_read: 'machineRead',
    unreached: 'none',
  },
};

const PRIOR_STATES: readonly PriorState[] = ['read', 'stale', 'unread', 'gone', 'absent'];
const OBSERVATIONS: readonly Observation[] = [
  'read',
  'missing',
  'soft_missing',
  'unreadable',
  'robots',
  'skipped',
  'unreached',
];

describe.each(PRIOR_STATES)('classifyPage for prior state %s', (priorState) => {
  it.each(OBSERVATIONS)('applies the outcome table to the observation %s', (observation) => {
    expect(classified(priorState, observation)).toBe(CELLS[priorState][observation]);
  });
});

describe('classifyPage for missing pages', () => {
  it.each([
    ['when verification confirms it', 'read', 'missing', { verification: 'missing' }],
    ['when it was already missing in the previous run', 'read', 'missing', { absences: 1 }],
    [
      'when the run did not reach it and verification finds it missing',
      'read',
      'unreached',
      { verification: 'missing' },
    ],
    ['when it looks removed in a second run', 'read', 'soft_missing', { absences: 1 }],
    ['when it was unreadable and is missing in two runs', 'stale', 'missing', { absences: 1 }],
    ['when coverage is doubtful but a second run confirms it', 'read', 'missing', { absences: 1, isDoubtful: true }],
  ] as const)('reports a page as removed %s', (_, priorState, observation, more) => {
    expect(classified(priorState, observation, more)).toBe('removed');
  });

  it.each([
    ['when it may not be verified', {}, 'withheld: seen_gone_once'],
    ['when coverage is doubtful', { verification: 'missing', isDoubtful: true }, 'withheld: removals_withheld'],
    ['when verification can read it', { verification: 'read' }, 'compare'],
    ['when verification is refused', { verification: 'unreadable' }, 'unverified: unreadable_at_second_look'],
    ['when verification finds a soft 404', { verification: 'soft_missing' }, 'unverified: looks_gone'],
  ] as const)('does not report a page as removed %s', (_, more, expected) => {
    expect(classified('read', 'missing', more)).toBe(expected);
  });

  it('never reports a page as removed only because runs did not reach it', () => {
    expect(classified('read', 'unreached', { absences: 9, isDoubtful: true })).toBe('withheld: not_reached');
    expect(classified('stale', 'unreached', { absences: 9 })).toBe('withheld: not_reached');
  });
});

describe('classifyPage for unknown pages', () => {
  it('withholds the page when the baseline is incomplete', () => {
    expect(classified('absent', 'read', { isReportableAsNew: false })).toBe('withheld: baseline_incomplete');
  });

  it('withholds the page when only the scope has changed', () => {
    expect(classified('absent', 'read', { cameIntoScope: true })).toBe('withheld: came_into_scope');
  });

  it('reports a page that was removed before as added and returned', () => {
    expect(classifyPage(evidence('gone', 'read', { isReportableAsNew: false }))).toEqual({
      outcome: 'added',
      isReturned: true,
    });
  });
});

it('classifyPage reports a redirected page as unverified', () => {
  expect(classified('read', 'soft_missing', { isRedirected: true })).toBe('unverified: redirected_elsewhere');
});

it('classifyPage gives an outcome exactly to the pages that count, for any evidence', () => {
  const anyEvidence = fc.record({
    priorState: fc.constantFrom(...PRIOR_STATES),
    observation: fc.constantFrom(...OBSERVATIONS),
    absences: fc.nat({ max: 3 }),
    verification: fc.constantFrom(...OBSERVATIONS),
    isDoubtful: fc.boolean(),
    isReportableAsNew: fc.boolean(),
    cameIntoScope: fc.boolean(),
    isRedirected: fc.boolean(),
  });
  fc.assert(
    fc.property(anyEvidence, (given) => {
      const { outcome } = classifyPage(given);
      expect(outcome !== 'none').toBe(countsAsPage(given.priorState, given.observation));
      if (outcome === 'compare')
        expect(OUTCOME_TABLE[given.priorState][given.observation]).toMatch(/compare|confirm|verify/);
    }),
  );
});
