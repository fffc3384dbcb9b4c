import { expect, it } from '@jest/globals';
import { queueKeyOf } from './receiver-address.ts';

it('queue keys differ per workspace, kind and address, and reveal nothing of the address', () => {
  const hook = { workspaceId: 'ws_a', kind: 'webhook', url: 'https://hooks.test/in?token=secret' };
  const queueKeys = [
    hook,
    { ...hook, url: 'https://hooks.test/other' },
    { ...hook, kind: 'chat' },
    { ...hook, workspaceId: 'ws_b' },
    { ...hook, kind: 'mail', url: 'mailto:' },
  ].map(queueKeyOf);
  expect(new Set(queueKeys).size).toBe(5);
  expect(queueKeyOf({ ...hook })).toBe(queueKeys[0]);
  expect(queueKeys.join()).not.toContain('secret');
});
