import { describe, expect, it } from '@jest/globals';
import { findBreaks, partsOfSelector, type SelectorStats } from './find-breaks.ts';
import { type BrokenProject, brokenByRelease } from './release-regression.ts';

const stats = (more: Partial<SelectorStats> = {}): SelectorStats => ({
  setting: 'scope.select',
  selector: '.terms',
  template: '/legal',
  rules: 1,
  pages: 10,
  matched: 10,
  words: 5_000,
  ...more,
});

describe('findBreaks', () => {
  it('reports a selector once per template when it matched on nearly all pages and now on nearly none', () => {
    const found = { url: 'https://example.com/a', text: 'Terms of use', landmark: 'main', section: 'Terms' };
    const { breaks, suppressed } = findBreaks([stats({ matched: 8, lastMatch: found })], [stats({ matched: 2 })]);
    expect(breaks).toEqual([
      {
        setting: 'scope.select',
        selector: '.terms',
        template: '/legal',
        shareBefore: 0.8,
        shareAfter: 0.2,
        isPartial: false,
        lastMatch: found,
      },
    ]);
    expect(suppressed).toEqual([]);
  });

  it.each([
    ['matched on too few pages before', { matched: 7 }, { matched: 0 }],
    ['still matches on some pages', {}, { matched: 3 }],
    ['has no pages to match on', {}, { pages: 0, matched: 0 }],
  ])('does not report a selector that %s', (_, before, after) => {
    expect(findBreaks([stats(before)], [stats(after)])).toEqual({ breaks: [], suppressed: [] });
  });

  it.each([
    ['pages_differ', 'pages have far less text', { words: 2_000, matched: 0 }],
    ['pages_differ', 'pages have far more text', { words: 9_000, matched: 0 }],
    ['rules_differ', 'pages were read by other rules', { rules: 2, matched: 0 }],
  ])('suppresses a break (%s) when %s', (reason, _, after) => {
    const { breaks, suppressed } = findBreaks([stats()], [stats(after)]);
    expect(breaks).toEqual([]);
    expect(suppressed).toEqual([expect.objectContaining({ selector: '.terms', reason })]);
  });

  it('reports a selector that is meant for one page of a folder and does not match on it any more', () => {
    const one = [{ pageKey: 'a.example/shop/lamp', words: 200 }];
    const before = stats({ matched: 1, matchedPages: one });
    const lost = (words: number): SelectorStats =>
      stats({ matched: 0, lostPages: [{ pageKey: 'a.example/shop/lamp', words }] });
    expect(findBreaks([before], [lost(210)]).breaks).toMatchObject([
      { selector: '.terms', template: 'a.example/shop/lamp', shareBefore: 1, shareAfter: 0 },
    ]);
    expect(findBreaks([before], [lost(20)]).breaks).toEqual([]);
    expect(findBreaks([before], [stats({ matched: 0 })]).breaks).toEqual([]);
  });

  it('marks a break partial when another selector of the setting still matches', () => {
    const others = [stats({ selector: '.b' }), stats({ selector: '.c' })];
    const { breaks } = findBreaks(
      [stats(), ...others],
      [stats({ matched: 0 }), ...others.map((other) => ({ ...other }))],
    );
    expect(breaks).toEqual([expect.objectContaining({ selector: '.terms', isPartial: true })]);
  });

  it('partsOfSelector splits a selector list only at its own commas', () => {
    expect(partsOfSelector('.a, p:is(b, i) , [title="x, y"],')).toEqual(['.a', 'p:is(b, i)', '[title="x, y"]']);
  });
});

describe('brokenByRelease', () => {
  const broken = (n: number, more: Partial<BrokenProject> = {}): BrokenProject => ({
    workspaceId: `w${n}`,
    projectId: `p${n}`,
    host: `site${n}.example`,
    foundAtMs: 1_000 + n,
    ...more,
  });

  it('blames the release when three unrelated projects break within the hour', () => {
    expect(brokenByRelease([broken(1), broken(2), broken(3)], 1_000)).toHaveLength(3);
  });

  it.each([
    ['two projects break', [broken(1), broken(2)]],
    ['they belong to one workspace', [broken(1), broken(2), broken(3, { workspaceId: 'w1' })]],
    ['they watch one site', [broken(1), broken(2), broken(3, { host: 'site1.example' })]],
    ['one broke before the release', [broken(1), broken(2), broken(3, { foundAtMs: 999 })]],
    ['one broke an hour later', [broken(1), broken(2), broken(3, { foundAtMs: 3_601_000 })]],
  ])('does not blame the release when %s', (_, projects) => {
    expect(brokenByRelease(projects, 1_000)).toEqual([]);
  });
});
