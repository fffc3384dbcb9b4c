import { describe, expect, it } from '@jest/globals';
import { keyRequest, sameRights } from './key-request.ts';

describe('the request of a new key', () => {
  it('leaves out what the form leaves empty', () => {
    const draft = {
      name: ' reporting ',
      scope: 'read',
      expiresInDays: undefined,
      projects: [],
      rpm: undefined,
    } as const;
    expect(keyRequest(draft)).toEqual({ name: 'reporting', scopes: ['read'] });
    expect(keyRequest({ ...draft, expiresInDays: 30, projects: ['prj_1'], rpm: 60 })).toEqual({
      name: 'reporting',
      scopes: ['read'],
      expires_in_days: 30,
      projects: ['prj_1'],
      rpm: 60,
    });
  });

  it('repeats the rights and the lifetime of a rotated key', () => {
    const key = {
      id: 'key_1',
      name: 'reporting',
      scopes: ['write' as const],
      projects: ['prj_1'],
      rpm: null,
      lastFour: 'abcd',

      createdAt: '2026-01-01T00:00:00Z',
      createdBy: null,
      expiresAt: '2026-01-31T00:00:01Z',
      lastUsedAt: null,
    };
    expect(sameRights(key)).toEqual({ name: 'reporting', scopes: ['write'], projects: ['prj_1'], expires_in_days: 30 });
    expect(sameRights({ ...key, expiresAt: null, rpm: 5 })).toEqual({
      name: 'reporting',
      scopes: ['write'],
      projects: ['prj_1'],
      rpm: 5,
    });
  });
});
