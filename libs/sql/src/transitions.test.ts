import { expect, it } from '@jest/globals';
import { statesBefore, type Transitions } from './transitions.ts';

const VALVE = {
  open: { from: ['closed'], to: 'open' },
  force: { from: ['closed', 'locked'], to: 'open' },
  close: { from: ['open'], to: 'closed' },
} as const satisfies Transitions<'open' | 'closed' | 'locked'>;

it('the states before a state are those of every transition that leads to it, once each', () => {
  expect(statesBefore<'open' | 'closed' | 'locked'>(VALVE, 'open')).toEqual(['closed', 'locked']);
  expect(statesBefore<'open' | 'closed' | 'locked'>(VALVE, 'locked')).toEqual([]);
});
