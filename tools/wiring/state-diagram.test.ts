import { expect, it } from '@jest/globals';
import { stateDiagram } from './state-diagram.ts';

it('a diagram of states has the start, every transition, and the states that are final', () => {
  const transitions = {
    claim: { from: ['queued', 'running'], to: 'running' },
    finish: { from: ['running'], to: 'done' },
  };
  expect(stateDiagram(transitions, 'queued').split('\n').slice(2, -1)).toEqual([
    '  [*] --> queued',
    '  queued --> running: claim',
    '  running --> running: claim',
    '  running --> done: finish',
    '  done --> [*]',
  ]);
});
