import { describe, expect, it } from '@jest/globals';
import { verdictIn, withVerdict } from './verdict-filter.ts';

describe('the filter of outcomes', () => {
  it('reads the outcome of a query, and all of a query without one that is offered', () => {
    expect([verdictIn('depth:>2 verdict:thin'), verdictIn('tide'), verdictIn('verdict:robots')]).toEqual([
      'thin',
      '',
      '',
    ]);
  });

  it('replaces the outcome and keeps the other terms', () => {
    expect(withVerdict('verdict:ok depth:>2', 'blocked')).toBe('depth:>2 verdict:blocked');
    expect(withVerdict('depth:>2 verdict:ok', '')).toBe('depth:>2');
    expect(withVerdict('', 'thin')).toBe('verdict:thin');
  });
});
