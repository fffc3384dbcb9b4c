import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Evidence, judgePage } from './judge-page.ts';
import { isPage, OUTCOME_TABLE } from './outcome-table.ts';
import type { Sight, Standing } from './page-reading.ts';

const evidence = (standing: Standing, sight: Sight, more: Partial<Evidence> = {}): Evidence => ({
  standing,
  sight,
  absences: 0,
  isInDoubt: false,
  isNewsworthy: true,
  cameIntoScope: false,
  isRedirected: false,
  ...more,
});

const said = (standing: Standing, sight: Sight, more: Partial<Evidence> = {}): string => {
  const judgement = judgePage(evidence(standing, sight, more));
  return 'reason' in judgement ? `${judgement.outcome}: ${judgement.reason}` : judgement.outcome;
};

/** Every cell where nothing is out of the ordinary: no look was taken, nothing was seen before. */
const CELLS: Readonly<Record<Standing, Readonly<Record<Sight, string>>>> = {
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

const STANDINGS: readonly Standing[] = ['read', 'stale', 'unread', 'gone', 'absent'];
const SIGHTS: readonly Sight[] = ['read', 'missing', 'soft_missing', 'unreadable', 'robots', 'skipped', 'unreached'];

describe.each(STANDINGS)('a page that is %s in the baseline', (standing) => {
  it.each(SIGHTS)('and %s now', (sight) => {
    expect(said(standing, sight)).toBe(CELLS[standing][sight]);
  });
});

describe('a page is removed', () => {
  it.each([
    ['where a second look agrees', 'read', 'missing', { secondLook: 'missing' }],
    ['where the run before missed it, too', 'read', 'missing', { absences: 1 }],
    ['where nobody came to it and a direct look finds it gone', 'read', 'unreached', { secondLook: 'missing' }],
    ['where it says so a second time', 'read', 'soft_missing', { absences: 1 }],
    ['where it could not be read and is then missed twice', 'stale', 'missing', { absences: 1 }],
    ['though the site is in doubt, once the next run agrees', 'read', 'missing', { absences: 1, isInDoubt: true }],
  ] as const)('%s', (_, standing, sight, more) => {
    expect(said(standing, sight, more)).toBe('removed');
  });

  it.each([
    ['not yet where nobody may look', {}, 'withheld: seen_gone_once'],
    ['not by a site in doubt', { secondLook: 'missing', isInDoubt: true }, 'withheld: removals_withheld'],
    ['not where a second look can read it', { secondLook: 'read' }, 'compare'],
    ['not where a second look is refused', { secondLook: 'unreadable' }, 'unverified: unreadable_at_second_look'],
    ['not yet where the second look only says so', { secondLook: 'soft_missing' }, 'unverified: looks_gone'],
  ] as const)('%s', (_, more, expected) => {
    expect(said('read', 'missing', more)).toBe(expected);
  });

  it('never by not being reached alone, however often', () => {
    expect(said('read', 'unreached', { absences: 9, isInDoubt: true })).toBe('withheld: not_reached');
    expect(said('stale', 'unreached', { absences: 9 })).toBe('withheld: not_reached');
  });
});

describe('a page nobody knew', () => {
  it('is withheld where the baseline did not see all there was', () => {
    expect(said('absent', 'read', { isNewsworthy: false })).toBe('withheld: baseline_incomplete');
  });

  it('is withheld where only the scope is new', () => {
    expect(said('absent', 'read', { cameIntoScope: true })).toBe('withheld: came_into_scope');
  });

  it('that was gone is added again, whatever the baseline saw', () => {
    expect(judgePage(evidence('gone', 'read', { isNewsworthy: false }))).toEqual({
      outcome: 'added',
      isReturned: true,
    });
  });
});

it('a page that leads elsewhere says so', () => {
  expect(said('read', 'soft_missing', { isRedirected: true })).toBe('unverified: redirected_elsewhere');
});

it('whatever the evidence, a page that counts has an outcome, and what is no page has none', () => {
  const anything = fc.record({
    standing: fc.constantFrom(...STANDINGS),
    sight: fc.constantFrom(...SIGHTS),
    absences: fc.nat({ max: 3 }),
    secondLook: fc.constantFrom(...SIGHTS),
    isInDoubt: fc.boolean(),
    isNewsworthy: fc.boolean(),
    cameIntoScope: fc.boolean(),
    isRedirected: fc.boolean(),
  });
  fc.assert(
    fc.property(anything, (given) => {
      const { outcome } = judgePage(given);
      expect(outcome !== 'none').toBe(isPage(given.standing, given.sight));
      if (outcome === 'compare') expect(OUTCOME_TABLE[given.standing][given.sight]).toMatch(/compare|twice|probe/);
    }),
  );
});
