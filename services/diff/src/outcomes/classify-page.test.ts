import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Observation, PriorState } from '../domain/page-reading.ts';
import { classifyPage, type Evidence } from './classify-page.ts';
import { countsAsPage, OUTCOME_TABLE } from './outcome-table.ts';

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

/** Every cell where nothing is out of the ordinary: no look was taken, nothing was seen before. */
const CELLS: Readonly<Record<PriorState, Readonly<Record<Observation, string>>>> = {
  read: {
    read: 'compare',
    missing: 'withheld: seen_gone_once',
    soft_missing: 'unverified: looks_gone',
    unreadable: 'unverified: unreadable',
    robots: 'withheld: robots_changed',
    skipped: 'skipped',
    unreached: 'withheld: not_reached',
  },
  stale: {
    read: 'compare',
    missing: 'unverified: looks_gone',
    soft_missing: 'unverified: looks_gone',
    unreadable: 'unverified: unreadable',
    robots: 'withheld: robots_changed',
    skipped: 'skipped',
    unreached: 'withheld: not_reached',
  },
  unread: {
    read: 'unverified: first_reading',
    missing: 'none',
    soft_missing: 'none',
    unreadable: 'unverified: unreadable',
    robots: 'none',
    skipped: 'skipped',
    unreached: 'none',
  },
  gone: {
    read: 'added',
    missing: 'none',
    soft_missing: 'none',
    unreadable: 'unverified: unreadable',
    robots: 'none',
    skipped: 'skipped',
    unreached: 'none',
  },
  absent: {
    read: 'added',
    missing: 'none',
    soft_missing: 'none',
    unreadable: 'unverified: unreadable',
    robots: 'none',
    skipped: 'skipped',
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

describe.each(PRIOR_STATES)('a page that is %s in the baseline', (priorState) => {
  it.each(OBSERVATIONS)('and %s now', (observation) => {
    expect(classified(priorState, observation)).toBe(CELLS[priorState][observation]);
  });
});

describe('a page is removed', () => {
  it.each([
    ['where a second look agrees', 'read', 'missing', { verification: 'missing' }],
    ['where the run before missed it, too', 'read', 'missing', { absences: 1 }],
    ['where nobody came to it and a direct look finds it gone', 'read', 'unreached', { verification: 'missing' }],
    ['where it says so a second time', 'read', 'soft_missing', { absences: 1 }],
    ['where it could not be read and is then missed twice', 'stale', 'missing', { absences: 1 }],
    ['though the site is in doubt, once the next run agrees', 'read', 'missing', { absences: 1, isDoubtful: true }],
  ] as const)('%s', (_, priorState, observation, more) => {
    expect(classified(priorState, observation, more)).toBe('removed');
  });

  it.each([
    ['not yet where nobody may look', {}, 'withheld: seen_gone_once'],
    ['not by a site in doubt', { verification: 'missing', isDoubtful: true }, 'withheld: removals_withheld'],
    ['not where a second look can read it', { verification: 'read' }, 'compare'],
    ['not where a second look is refused', { verification: 'unreadable' }, 'unverified: unreadable_at_second_look'],
    ['not yet where the second look only says so', { verification: 'soft_missing' }, 'unverified: looks_gone'],
  ] as const)('%s', (_, more, expected) => {
    expect(classified('read', 'missing', more)).toBe(expected);
  });

  it('never by not being reached alone, however often', () => {
    expect(classified('read', 'unreached', { absences: 9, isDoubtful: true })).toBe('withheld: not_reached');
    expect(classified('stale', 'unreached', { absences: 9 })).toBe('withheld: not_reached');
  });
});

describe('a page nobody knew', () => {
  it('is withheld where the baseline did not see all there was', () => {
    expect(classified('absent', 'read', { isReportableAsNew: false })).toBe('withheld: baseline_incomplete');
  });

  it('is withheld where only the scope is new', () => {
    expect(classified('absent', 'read', { cameIntoScope: true })).toBe('withheld: came_into_scope');
  });

  it('that was gone is added again, whatever the baseline saw', () => {
    expect(classifyPage(evidence('gone', 'read', { isReportableAsNew: false }))).toEqual({
      outcome: 'added',
      isReturned: true,
    });
  });
});

it('a page that leads elsewhere says so', () => {
  expect(classified('read', 'soft_missing', { isRedirected: true })).toBe('unverified: redirected_elsewhere');
});

it('whatever the evidence, a page that counts has an outcome, and what is no page has none', () => {
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
        expect(OUTCOME_TABLE[given.priorState][given.observation]).toMatch(/compare|twice|probe/);
    }),
  );
});
