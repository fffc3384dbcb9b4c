import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type AnchorChange,
  type AnchorState,
  afterChange,
  afterRecapture,
  afterStable,
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
  ...more,
});

/** What a place is after these comparisons: `m` a change within its mask, `x` another, `=` none. */
function after(comparisons: string, more: Partial<AnchorChange> = {}): AnchorState | undefined {
  let state: AnchorState | undefined = newAnchor('a', 't');
  for (const [at, what] of [...comparisons].entries()) {
    if (what === '=') state = state && afterStable(state);
    else
      state = afterChange(state ?? newAnchor('a', 't'), change(`text ${at}`, { isWithinMask: what === 'm', ...more }));
  }
  return state;
}

describe('a place is volatile', () => {
  it.each([
    ['where its dates changed in three of the last four comparisons', 'm=mm', {}, 'same_mask'],
    ['not yet after two', 'mm', {}, undefined],
    ['not where its words changed, too', 'mmx', {}, undefined],
    ['not where the changes lie apart', 'm==m==m', {}, undefined],
    ['outside the main part where it changed in four of the last five', 'xx=xx', { isMain: false }, 'restless'],
    ['not in the main part, however often it changes', 'xxxxxxxx', {}, undefined],
    ['not after three outside it', 'xx=x', { isMain: false }, undefined],
  ] as const)('%s', (_, comparisons, more, rule) => {
    expect(after(comparisons, more)?.volatileBy).toBe(rule);
  });

  it('where it keeps coming back to what it said', () => {
    let state = newAnchor('a', 't');
    const rules = ['a', 'b', 'a', 'b'].map((text) => {
      state = afterChange(state, change(text));
      return state.volatileBy;
    });
    expect(rules).toEqual([undefined, undefined, undefined, 'flapping']);
  });

  it('at once where two fetches of one page differ', () => {
    expect(afterRecapture(newAnchor('a', 't')).volatileBy).toBe('double_fetch');
  });

  it('never where its owner wants to hear of it', () => {
    const pinned: AnchorState = { ...newAnchor('a', 't'), isPinned: true, volatileBy: 'restless' };
    expect(afterRecapture(newAnchorPinned()).volatileBy).toBeUndefined();
    expect(afterChange(pinned, change('x', { isMain: false })).volatileBy).toBeUndefined();
  });
});

const newAnchorPinned = (): AnchorState => ({ ...newAnchor('a', 't'), isPinned: true });

describe('a place that settles', () => {
  it('is forgotten after five comparisons without a change, not after four', () => {
    expect(after('mmm====')?.volatileBy).toBe('same_mask');
    expect(after('mmm=====')).toBeUndefined();
    expect(STABLE_AFTER).toBe(5);
  });
});

it('whatever happens to a place, what is remembered of it stays small, and is volatile only by its changes', () => {
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
        expect(state.changed).toBeLessThanOrEqual(state.seen);
        expect(state.stable).toBeLessThan(STABLE_AFTER);
        if (state.volatileBy !== undefined) expect(state.changed).toBeGreaterThanOrEqual(3);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }
    }),
  );
});
