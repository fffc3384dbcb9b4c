import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type AnchorChange,
  type AnchorState,
  afterChange,
  afterRecapture,
  afterStable,
  hasChangedEveryTime,
  newAnchor,
  STABLE_AFTER,
} from './anchor-state.ts';

const change = (after: string, more: Partial<AnchorChange> = {}): AnchorChange => ({
  runId: 'run',
  before: [],
  after: [after],
  isWithinMask: false,
  isSolo: false,
  isMain: true,
  isAlone: true,
  chains: [],
  ...more,
});

/** Returns the state after a sequence of comparisons: `m` a change within its mask, `x` another change, `=` none. */
function after(comparisons: string, more: Partial<AnchorChange> = {}): AnchorState | undefined {
  let state: AnchorState | undefined = newAnchor('a', 't');
  for (const [at, what] of [...comparisons].entries()) {
    if (what === '=') state = state && afterStable(state);
    else
      state = afterChange(state ?? newAnchor('a', 't'), change(`text ${at}`, { isWithinMask: what === 'm', ...more }));
  }
  return state;
}

describe('an anchor is volatile', () => {
  it.each([
    ['when only its mask values changed in three of the last four comparisons', 'm=mm', {}, 'same_mask'],
    ['but not after two changes', 'mm', {}, undefined],
    ['but not when its words changed as well', 'mmx', {}, undefined],
    ['but not when the changes are far apart', 'm==m==m', {}, undefined],
    [
      'outside the main part when it changed in four of the last five comparisons',
      'xx=xx',
      { isMain: false },
      'frequent',
    ],
    ['but not in the main part for other changes', 'xxxxxxxx', {}, undefined],
    ['but not after three changes outside the main part', 'xx=x', { isMain: false }, undefined],
  ] as const)('%s', (_, comparisons, more, rule) => {
    expect(after(comparisons, more)?.volatileBy).toBe(rule);
  });

  it('when it returns to earlier texts repeatedly', () => {
    let state = newAnchor('a', 't');
    const rules = ['a', 'b', 'a', 'b'].map((text) => {
      state = afterChange(state, change(text));
      return state.volatileBy;
    });
    expect(rules).toEqual([undefined, undefined, undefined, 'flapping']);
  });

  it('when the same block changed in each of the last three comparisons, whatever its words', () => {
    let state = newAnchor('a', 't');
    const rules = [0, 1, 2].map((at) => {
      state = afterChange(state, change(`text ${at + 1}`, { chains: [[`text ${at}`, `text ${at + 1}`]] }));
      return state.volatileBy;
    });
    expect(rules).toEqual([undefined, undefined, 'every_time']);
  });

  it('but not when a different block of the anchor changed each time', () => {
    let state = newAnchor('a', 't');
    for (const at of [0, 1, 2, 3, 4])
      state = afterChange(state, change(`text ${at}b`, { chains: [[`text ${at}`, `text ${at}b`]] }));
    expect(state.volatileBy).toBeUndefined();
  });

  it('but not when the block was stable in between', () => {
    let state = newAnchor('a', 't');
    for (const at of [0, 1, 2, 3, 4]) {
      state = afterChange(state, change(`text ${at + 1}`, { chains: [[`text ${at}`, `text ${at + 1}`]] }));
      if (at % 2 === 1) state = afterStable(state) ?? newAnchor('a', 't');
    }
    expect(state.volatileBy).toBeUndefined();
  });

  it('as a single block where other blocks share the anchor and a recapture differs', () => {
    const state = afterRecapture(newAnchor('a', 't'), 'first', false);
    expect(state.volatileBy).toBeUndefined();
    expect(hasChangedEveryTime(state, 'first')).toBe(true);
    expect(hasChangedEveryTime(state, 'other')).toBe(false);
  });

  it('immediately when a recapture differs', () => {
    expect(afterRecapture(newAnchor('a', 't'), undefined, true).volatileBy).toBe('recapture');
  });

  it('never when it is pinned', () => {
    const pinned: AnchorState = { ...newAnchor('a', 't'), isPinned: true, volatileBy: 'frequent' };
    expect(afterRecapture(newAnchorPinned(), 'first', true).volatileBy).toBeUndefined();
    expect(afterChange(pinned, change('x', { isMain: false })).volatileBy).toBeUndefined();
  });
});

const newAnchorPinned = (): AnchorState => ({ ...newAnchor('a', 't'), isPinned: true });

describe('a stable anchor', () => {
  it('is removed after five comparisons without a change, not after four', () => {
    expect(after('mmm====')?.volatileBy).toBe('same_mask');
    expect(after('mmm=====')).toBeUndefined();
    expect(STABLE_AFTER).toBe(5);
  });
});

it('anchor state stays bounded and is volatile only after changes, for any sequence', () => {
  const comparisons = fc.array(
    fc.record({ what: fc.constantFrom('m', 'x', '='), text: fc.nat({ max: 30 }), isMain: fc.boolean() }),
    {
      maxLength: 60,
    },
  );
  fc.assert(
    fc.property(comparisons, (steps) => {
      let state: AnchorState | undefined;
      for (const { what, text, isMain } of steps) {
        if (what === '=') state = state && afterStable(state);
        else
          state = afterChange(state ?? newAnchor('a', 't'), change(`${text}`, { isWithinMask: what === 'm', isMain }));
        if (state === undefined) continue;
        expect(state.history.length).toBeLessThanOrEqual(8);
        expect(state.recent.length).toBeLessThanOrEqual(5);
        expect(state.changed).toBeLessThanOrEqual(state.comparisons);
        expect(state.stable).toBeLessThan(STABLE_AFTER);
        if (state.volatileBy !== undefined) expect(state.changed).toBeGreaterThanOrEqual(3);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }
    }),
  );
});
