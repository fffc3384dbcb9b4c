import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseNamedCallers } from './named-callers.ts';
import { parseSharedKeys } from './shared-keys.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const REPORTS = newKey();
const LIST_PAGES = 'tidemark.archive.v1.ArchiveService/ListPages';

describe('a named caller', () => {
  it('is read with the scope read and all workspaces unless its entry has others; an empty setting has none', () => {
    const callers = parseNamedCallers(JSON.stringify([{ name: 'reports', key: REPORTS, rpcs: [LIST_PAGES] }]));
    expect(callers.get('reports')).toMatchObject({
      scope: 'read',
      workspaces: { kind: 'all' },
      rpcs: new Set([LIST_PAGES]),
    });
    expect(parseNamedCallers('').size).toBe(0);
  });

  it.each([
    ['no JSON', '{', 'expected a JSON array'],
    [
      'an unknown RPC',
      [{ name: 'reports', key: REPORTS, rpcs: ['tidemark.x.v1.X/Y'] }],
      'tidemark.x.v1.X/Y does not exist',
    ],
    ['the name of a service', [{ name: 'gateway', key: REPORTS, rpcs: [LIST_PAGES] }], 'is the name of a service'],
    ['a short key', [{ name: 'reports', key: 'c2hvcnQ=', rpcs: [LIST_PAGES] }], 'key 1 has 5 bytes'],
    ['an unknown field', [{ name: 'reports', key: REPORTS, rpcs: [LIST_PAGES], workspace: 'x' }], 'workspace'],
    [
      'a workspace for an RPC that has its workspace in the request',
      [{ name: 'reports', key: REPORTS, rpcs: ['tidemark.billing.v1.BillingService/Lease'], workspaces: ['ws_1'] }],
      'can not be restricted to workspaces',
    ],
    [
      'an empty list of workspaces',
      [{ name: 'reports', key: REPORTS, rpcs: [LIST_PAGES], workspaces: [] }],
      'workspaces',
    ],
    ['no RPC', [{ name: 'reports', key: REPORTS, rpcs: [] }], 'rpcs'],
  ])('is refused in the configuration with %s, without its key in the message', (_, setting, message) => {
    const read = () => parseNamedCallers(typeof setting === 'string' ? setting : JSON.stringify(setting));
    expect(read).toThrow(message);
    expect(read).not.toThrow(REPORTS);
  });
});

describe('the keys of a caller', () => {
  it.each(['', 'short', 'c2hvcnQ=', `${newKey()},`, `${newKey()},${newKey()},${newKey()}`])(
    'are refused: %j',
    (text) => {
      expect(() => parseSharedKeys(text)).toThrow();
    },
  );
});
