import { describe, expect, it } from '@jest/globals';
import { isListedToEnd, statesBefore } from './list-state.ts';

describe('the state of a run’s list', () => {
  it('goes from listing over completing to settled, and is discarded from any of them', () => {
    expect(statesBefore('listing')).toEqual([]);
    expect(statesBefore('completing')).toEqual(['listing']);
    expect(statesBefore('settled')).toEqual(['completing']);
    expect(statesBefore('discarded')).toEqual(['listing', 'completing', 'settled']);
  });

  it('is listed to its end once it is completing or settled', () => {
    const states = ['listing', 'completing', 'settled', 'discarded'] as const;
    expect(states.filter((state) => isListedToEnd({ state }))).toEqual(['completing', 'settled']);
  });
});
