import { describe, expect, it } from '@jest/globals';
import { canMake, isInState, stateAfter } from './list-transitions.ts';

describe('the SQL of a transition of a run’s list', () => {
  it('names the states before and after it as the table has them', () => {
    expect(`SET state = ${stateAfter('settle')} WHERE ${canMake('settle')}`).toBe(
      "SET state = 'settled' WHERE state IN ('completing')",
    );
  });

  it('names a column of its own where a statement has two tables', () => {
    expect(isInState(['listing', 'completing'], 'runs.state')).toBe("runs.state IN ('listing', 'completing')");
  });
});
