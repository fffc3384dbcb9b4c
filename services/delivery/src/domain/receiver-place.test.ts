import { expect, it } from '@jest/globals';
import { laneOf } from './receiver-place.ts';

it('each receiver of a workspace queues by itself, two workspaces never together, and nothing of the address is in it', () => {
  const hook = { workspaceId: 'ws_a', kind: 'webhook', url: 'https://hooks.test/in?token=secret' };
  const lanes = [
    hook,
    { ...hook, url: 'https://hooks.test/other' },
    { ...hook, kind: 'chat' },
    { ...hook, workspaceId: 'ws_b' },
    { ...hook, kind: 'mail', url: 'mailto:' },
  ].map(laneOf);
  expect(new Set(lanes).size).toBe(5);
  expect(laneOf({ ...hook })).toBe(lanes[0]);
  expect(lanes.join()).not.toContain('secret');
});
