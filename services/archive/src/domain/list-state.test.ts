import { describe, expect, it } from '@jest/globals';
import { isListedToEnd, LIST_TRANSITIONS, type ListState } from './list-state.ts';

const next = (from: ListState): ListState[] =>
  Object.values(LIST_TRANSITIONS).flatMap((each) =>
    (each.from as readonly ListState[]).includes(from) ? [each.to] : [],
  );

describe('the state of a run’s list', () => {
  it('goes from listing over completing to settled, and is discarded from any of them', () => {
    expect(next('listing')).toEqual(['completing', 'discarded']);
    expect(next('completing')).toEqual(['settled', 'discarded']);
    expect(next('settled')).toEqual(['discarded']);
    expect(next('discarded')).toEqual([]);
  });

  it('is listed to its end once it is completing or settled', () => {
    const states = ['listing', 'completing', 'settled', 'discarded'] as const;
    expect(states.filter((state) => isListedToEnd({ state }))).toEqual(['completing', 'settled']);
  });
});
