import { describe, expect, it } from '@jest/globals';
import { type Role, roleIncludes, type Scope, scopeIncludes, scopeOfRole } from '@tidemark/contracts';
import fc from 'fast-check';
import type { GivenInvite, GivenKey } from '../store/giver-store.ts';
import { type LossOfRights, rightsLost } from './rights-lost.ts';

const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
const INVITED = ['viewer', 'member', 'admin'] as const;
const SCOPES = ['read', 'write', 'admin'] as const;

/** A workspace with people, and the keys and invitations that people and keys made. `removed`: people whose keys were to stay. */
interface World {
  readonly roles: Map<string, Role>;
  readonly removed: Set<string>;
  keys: (GivenKey & { readonly scopes: readonly [Scope] })[];
  invites: GivenInvite[];
}

interface Step {
  readonly kind: 'make_key' | 'invite' | 'grant' | 'revoke' | 'remove' | 'change_role';
  /** Selects a giver, or what is lost, among those that exist. */
  readonly at: number;
  readonly scope: Scope;
  readonly role: Role;
  readonly invited: (typeof INVITED)[number];
  readonly revokesKeys: boolean;
}

const step = fc.record<Step>({
  kind: fc.constantFrom(
    'make_key',
    'make_key',
    'make_key',
    'invite',
    'invite',
    'grant',
    'revoke',
    'remove',
    'change_role',
  ),
  at: fc.nat(1_000),
  scope: fc.constantFrom(...SCOPES),
  role: fc.constantFrom(...ROLES),
  invited: fc.constantFrom(...INVITED),
  revokesKeys: fc.boolean(),
});

/** Returns what each living giver may give. */
const giversOf = ({ roles, keys }: World): [id: string, scope: Scope][] => [
  ...[...roles].map(([id, role]): [string, Scope] => [id, scopeOfRole(role)]),
  ...keys.map(({ id, scopes }): [string, Scope] => [id, scopes[0]]),
];

/** Makes what the giver may give; nothing otherwise. */
function give(world: World, { kind, at, scope, invited }: Step, id: string): void {
  const givers = giversOf(world);
  const [giver, own] = givers[at % givers.length] ?? [];
  if (giver === undefined || own === undefined) return;
  if (kind === 'grant' && world.roles.has(giver) && scope !== 'admin' && scopeIncludes(own, scope))
    world.keys.push({ id: `key_${id}`, createdBy: giver, scopes: [scope], isGrant: true });
  if (own !== 'admin') return;
  if (kind === 'make_key') world.keys.push({ id: `key_${id}`, createdBy: giver, scopes: [scope], isGrant: false });
  if (kind === 'invite') world.invites.push({ id: `ivt_${id}`, invitedBy: giver, role: invited });
}

/** Applies a loss to the people and keys that it names, and returns it. */
function lose(world: World, { kind, at, role, revokesKeys }: Step): LossOfRights | undefined {
  if (kind === 'revoke') {
    const key = world.keys[at % Math.max(1, world.keys.length)];
    if (key === undefined) return undefined;
    world.keys = world.keys.filter((one) => one !== key);
    return { kind: 'keys_revoked', keyIds: [key.id] };
  }
  const userId = [...world.roles.keys()][at % Math.max(1, world.roles.size)];
  if (userId === undefined) return undefined;
  if (kind === 'change_role') {
    world.roles.set(userId, role);
    return { kind: 'role_changed', userId, role };
  }
  world.roles.delete(userId);
  if (!revokesKeys) world.removed.add(userId);
  return { kind: 'member_removed', userId, revokesKeys };
}

function apply(world: World, one: Step, id: string): void {
  const isGift = one.kind === 'make_key' || one.kind === 'invite' || one.kind === 'grant';
  if (isGift) give(world, one, id);
  const loss = isGift ? undefined : lose(world, one);
  if (loss === undefined) return;
  const { keyIds, inviteIds } = rightsLost(world, loss);
  world.keys = world.keys.filter((key) => !keyIds.includes(key.id));
  world.invites = world.invites.filter((invite) => !inviteIds.includes(invite.id));
}

/** Returns the keys and invitations that exceed their givers. */
function excessOf({ roles, removed, keys, invites }: World): string[] {
  const scopeOf = new Map(keys.map(({ id, scopes }) => [id, scopes[0]]));
  const isHeld = ({ createdBy, scopes: [scope], isGrant }: World['keys'][number]): boolean => {
    if (removed.has(createdBy)) return !isGrant;
    const role = roles.get(createdBy);
    const own = role === undefined ? scopeOf.get(createdBy) : scopeOfRole(role);
    return own !== undefined && scopeIncludes(own, scope);
  };
  const mayInvite = ({ invitedBy, role: given }: GivenInvite): boolean => {
    const role = roles.get(invitedBy);
    return role === undefined
      ? scopeOf.get(invitedBy) === 'admin'
      : roleIncludes(role, 'admin') && roleIncludes(role, given);
  };
  return [
    ...keys.filter((key) => !isHeld(key)).map(({ id }) => id),
    ...invites.filter((invite) => !mayInvite(invite)).map(({ id }) => id),
  ];
}

describe('rightsLost', () => {
  it('leaves nothing that exceeds its living givers, whatever was given and lost before', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world: World = {
          roles: new Map(ROLES.map((role) => [`usr_${role}`, role])),
          removed: new Set(),
          keys: [],
          invites: [],
        };
        for (const [index, one] of steps.entries()) {
          apply(world, one, String(index));
          expect(excessOf(world)).toEqual([]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('ends nothing of a person whose role rises, or of other people', () => {
    const given = {
      keys: [
        { id: 'key_1', createdBy: 'usr_1', scopes: ['write'], isGrant: true },
        { id: 'key_2', createdBy: 'usr_2', scopes: ['admin'], isGrant: false },
      ],
      invites: [{ id: 'ivt_1', invitedBy: 'usr_2', role: 'admin' as const }],
    };
    expect(rightsLost(given, { kind: 'role_changed', userId: 'usr_1', role: 'admin' })).toEqual({
      keyIds: [],
      inviteIds: [],
    });
    expect(rightsLost(given, { kind: 'member_removed', userId: 'usr_1', revokesKeys: true })).toEqual({
      keyIds: ['key_1'],
      inviteIds: [],
    });
  });
});
