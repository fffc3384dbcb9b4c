import { describe, expect, it } from '@jest/globals';
import { changesByGroups, groupsOf, readGroupRoles, rolesGiven } from './group-roles.ts';

const [A, B] = ['ws_01j5xq2w8se6fa7t0a6q1n3k2m', 'ws_01j5xq2w8se6fa7t0a6q1n3k2n'] as const;
const RULES = readGroupRoles(
  JSON.stringify([
    { group: 'eng', workspace: A, role: 'member' },
    { group: 'leads', workspace: A, role: 'admin' },
    { group: 'cn=all,dc=corp', workspace: B, role: 'viewer' },
  ]),
);

describe('the roles of groups', () => {
  it('are read from a list, and a list that is wrong is refused with its place and an example', () => {
    expect(RULES[0]).toEqual({ group: 'eng', workspaceId: A, role: 'member' });
    expect(readGroupRoles('')).toEqual([]);
    for (const text of ['eng=member', '{}', `[{"group":"eng","workspace":"${A}","role":"owner"}]`])
      expect(() => readGroupRoles(text)).toThrow(/OIDC_GROUP_ROLES: .*expected a list such as/);
  });

  it('are the highest of the groups of a person in each workspace', () => {
    const given = rolesGiven(RULES, ['eng', 'leads', 'cn=all,dc=corp', 'unknown']);
    expect([...given.values()].map(({ workspaceId, role }) => [workspaceId, role])).toEqual([
      [A, 'admin'],
      [B, 'viewer'],
    ]);
  });
});

describe('groupsOf', () => {
  it('reads lists and a single text, and nothing else', () => {
    expect(groupsOf(['a', 3, 'b'])).toEqual(['a', 'b']);
    expect(groupsOf('a')).toEqual(['a']);
    expect(groupsOf({ a: 1 })).toEqual([]);
    expect(groupsOf(undefined)).toEqual([]);
  });
});

describe('the changes of a sign-in', () => {
  it('add, change and remove what groups gave, and leave other memberships as they are', () => {
    const given = rolesGiven(RULES, ['leads']);
    expect(changesByGroups([], given)).toEqual([{ kind: 'add', workspaceId: A, role: 'admin', group: 'leads' }]);
    const asMember = { workspaceId: A, role: 'member', fromGroup: 'eng' } as const;
    expect(changesByGroups([asMember], given)).toEqual([
      { kind: 'change', workspaceId: A, role: 'admin', group: 'leads' },
    ]);
    const elsewhere = { workspaceId: B, role: 'viewer', fromGroup: 'cn=all,dc=corp' } as const;
    const invited = { workspaceId: A, role: 'viewer', fromGroup: null } as const;
    expect(changesByGroups([elsewhere, invited], given)).toEqual([
      { kind: 'remove', workspaceId: B, role: 'viewer', group: 'cn=all,dc=corp' },
    ]);
  });

  it('are none where the groups give what the person has', () => {
    const given = rolesGiven(RULES, ['eng']);
    expect(changesByGroups([{ workspaceId: A, role: 'member', fromGroup: 'eng' }], given)).toEqual([]);
  });
});
