import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type AnchorChange,
  type AnchorState,
  afterAnchorChange,
  afterRecaptures,
  afterStable,
  isVolatilePlace,
  MAX_BLOCKS,
  newAnchor,
  STABLE_AFTER,
} from './anchor-state.ts';
import { changesByItself, isWide, provenByRecaptures } from './self-change.ts';

const AT = '2026-01-01T00:00:00.000Z';
const fresh = (): AnchorState => newAnchor('a', 't', AT);

/** A change of one block from a text to another. */
const edit = (before: string, after: string, more: Partial<AnchorChange> = {}): AnchorChange => ({
  runId: 'run',
  at: AT,
  texts: [before, after],
  blocks: [{ before, after, shows: after }],
  isWide: false,
  ...more,
});

/** Returns the state after runs that show these texts of one block, one letter each. */
function afterTexts(texts: string, start = fresh(), isWide = false): AnchorState | undefined {
  let state: AnchorState | undefined = start;
  for (let at = 1; at < texts.length; at += 1) {
    const [before = '', after = ''] = [texts[at - 1], texts[at]];
    state =
      before === after
        ? state && afterStable(state)
        : afterAnchorChange(state ?? fresh(), edit(before, after, { isWide }));
  }
  return state;
}

const isVolatile = (texts: string): boolean => {
  const state = afterTexts(texts);
  return changesByItself(state?.blocks[texts.at(-1) ?? '']);
};

describe('a block is volatile by runs', () => {
  it.each([
    ['when it changed in three comparisons in a row', 'abcd', true],
    ['when it alternates between two texts in each of three comparisons', 'abab', true],
    ['but not after two changes', 'abc', false],
    ['but not when a run showed it unchanged in between', 'abccd', false],
    ['but not after many edits with an unchanged run after each', 'aabbccddeeff', false],
    ['no longer when the next run shows it unchanged', 'abcdd', false],
    ['no longer when one change follows that unchanged run', 'abcdde', false],
    ['still when it changed in many runs and was then unchanged once', 'abcdefghh', true],
    ['no longer when it was unchanged in as many runs as its evidence allows', 'abcdefghijjjjjjj', false],
  ])('%s', (_, texts, expected) => {
    expect(isVolatile(texts)).toBe(expected);
  });

  it('and another block of its place is not', () => {
    let state = fresh();
    for (const at of [0, 1, 2, 3, 4]) state = afterAnchorChange(state, edit(`text ${at}`, `text ${at}b`));
    expect(isVolatilePlace(state)).toBe(false);
  });

  it('from the time of the third comparison on', () => {
    const times = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'];
    let state = fresh();
    for (const [index, at] of times.entries())
      state = afterAnchorChange(state, edit(`t${index}`, `t${index + 1}`, { at }));
    expect(state.blocks['t4']).toMatchObject({ by: 'runs', since: '2026-01-03' });
    expect(state).toMatchObject({ comparisons: 4, changed: 4 });
  });
});

describe('a block that recaptures prove to be volatile', () => {
  const recaptured = (editedTo?: string): AnchorState =>
    afterRecaptures(fresh(), { at: AT, blocks: [['a', provenByRecaptures(AT, editedTo)]], isWide: false });

  it('stays so when the next run shows another text', () => {
    expect(afterTexts('ab', recaptured())?.blocks['b']).toMatchObject({ by: 'recaptures', count: 4 });
  });

  it('returns to normal when the next run shows it unchanged', () => {
    expect(afterTexts('aa', recaptured())?.blocks).toEqual({});
    expect(changesByItself(afterTexts('aab', recaptured())?.blocks['b'])).toBe(false);
  });

  it('was edited when the next run shows what the last recaptures agree on', () => {
    expect(changesByItself(afterTexts('ab', recaptured('b'))?.blocks['b'])).toBe(false);
    expect(changesByItself(afterTexts('ac', recaptured('b'))?.blocks['c'])).toBe(true);
  });
});

describe('a place is volatile on every page', () => {
  it('when it changed on most pages in three comparisons in a row', () => {
    expect(changesByItself(afterTexts('abcd', fresh(), true)?.whole)).toBe(true);
    expect(changesByItself(afterTexts('abc', fresh(), true)?.whole)).toBe(false);
    expect(afterTexts('abcd')?.whole).toBeUndefined();
  });

  it('but not when every page that was recaptured there was edited in between', () => {
    const proof = { at: AT, blocks: [['a', provenByRecaptures(AT, 'b')] as const], isWide: true };
    const state = afterRecaptures(fresh(), proof);
    expect(changesByItself(state.whole)).toBe(true);
    expect(changesByItself(afterAnchorChange(state, edit('a', 'b', { isWide: true })).whole)).toBe(false);
    expect(changesByItself(afterAnchorChange(state, edit('a', 'c', { isWide: true })).whole)).toBe(true);
  });

  it.each([
    [1, 1, false],
    [2, 2, true],
    [2, 4, true],
    [2, 5, false],
  ])('when %d of %d pages changed: %s', (changed, read, expected) => {
    expect(isWide(changed, read)).toBe(expected);
  });
});

it('a place is removed after five comparisons without a change, not after four', () => {
  expect(afterTexts('abbbbb')).toBeDefined();
  expect(afterTexts('abbbbbb')).toBeUndefined();
  expect(STABLE_AFTER).toBe(5);
});

it('the state of a place stays bounded, and no block is volatile with fewer than three changes, for any sequence', () => {
  const steps = fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 5 }), fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (changes) => {
      let state: AnchorState | undefined;
      let changed = 0;
      for (const [before, after, isWidely] of changes) {
        if (before === after) state = state && afterStable(state);
        else {
          state = afterAnchorChange(state ?? fresh(), edit(`${before}`, `${after}`, { isWide: isWidely }));
          changed += 1;
        }
        if (state === undefined) continue;
        expect(state.history.length).toBeLessThanOrEqual(8);
        expect(Object.keys(state.blocks).length).toBeLessThanOrEqual(MAX_BLOCKS);
        expect(state.changed).toBeLessThanOrEqual(state.comparisons);
        if (isVolatilePlace(state)) expect(changed).toBeGreaterThanOrEqual(3);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }
    }),
  );
});
