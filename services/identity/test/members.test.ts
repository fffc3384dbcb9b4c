import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ALL_PROJECTS, accessToWire } from '@tidemark/contracts';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { anonymous, callerIn, personIn } from '@tidemark/testkit';
import { type AccountServers, newEmail, outcomesOf, type SignedIn, startAccounts } from './account-servers.ts';
import { memberCalls, userId, workspaceOf } from './member-calls.ts';

let accounts: AccountServers;
beforeAll(async () => {
  accounts = await startAccounts({ ACCOUNT_MAILS: 'off' });
}, 120_000);
afterAll(() => accounts.close());

const FORBIDDEN = { code: 'forbidden' };
const { invite, setRole, remove, rolesOf, authenticate, join } = memberCalls(() => accounts);

describe('the removal of a member with its keys', () => {
  it('is published for the person and each key, once the removal is committed', async () => {
    const owner = await accounts.signUp(newEmail());
    const member = await join(owner, 'admin');
    const request = {
      name: 'reporting',
      scopes: ['read'],
      access: accessToWire(ALL_PROJECTS),
      expiresInDays: undefined,
      rpm: undefined,
    };
    const { key } = await accounts.service.peer.call(Identity.createKey, request, member.call);
    const { key: kept } = await accounts.service.peer.call(Identity.createKey, request, owner.call);
    await remove(owner, userId(member), true);
    await accounts.service.peer.call(Identity.revokeKey, { id: kept?.id ?? '' }, owner.call);
    const rows = await accounts.servers.database.sql<{ id: string }>(
      `SELECT id FROM identity.outbox WHERE subject = 'event.access.removed' AND id LIKE $1`,
      [`removed:${workspaceOf(owner)}:%`],
    );
    const subjects = rows.map(({ id }) => id.split(':')[2]).toSorted();
    expect(subjects).toEqual([userId(member), key?.id, kept?.id].toSorted());
  });
});

describe('a role', () => {
  it('of an admin does not reach owners: it makes none, and changes or removes none', async () => {
    const owner = await accounts.signUp(newEmail());
    const [admin, other] = [await join(owner, 'admin'), await join(owner, 'member')];
    await setRole(admin, userId(other), 'viewer');
    for (const attempt of [
      () => setRole(admin, userId(admin), 'owner'),
      () => setRole(admin, userId(other), 'owner'),
      () => setRole(admin, userId(owner), 'viewer'),
      () => remove(admin, userId(owner)),
    ])
      await expect(attempt()).rejects.toMatchObject(FORBIDDEN);
    expect(await rolesOf(owner)).toEqual(['admin', 'owner', 'viewer']);
  });

  it('of a member or viewer changes no other member, and allows to leave', async () => {
    const owner = await accounts.signUp(newEmail());
    for (const role of ['member', 'viewer'] as const) {
      const one = await join(owner, role);
      await expect(setRole(one, userId(one), 'admin')).rejects.toMatchObject(FORBIDDEN);
      await expect(remove(one, userId(owner))).rejects.toMatchObject(FORBIDDEN);
      await remove(one, userId(one));
      expect(await authenticate(one.token)).toMatchObject({ workspace: undefined, role: '' });
    }
  });

  it('of an admin key does not reach owners, and a key restricted to projects has no rights at all', async () => {
    const owner = await accounts.signUp(newEmail());
    const call = callerIn(workspaceOf(owner));
    const member = await join(owner, 'member');
    const { peer } = accounts.service;
    await peer.call(Rpc.updateMember, { userId: userId(member), role: 'viewer' }, call);
    for (const request of [
      { userId: userId(member), role: 'owner' },
      { userId: userId(owner), role: 'viewer' },
    ])
      await expect(peer.call(Rpc.updateMember, request, call)).rejects.toMatchObject(FORBIDDEN);
    const restricted = callerIn(workspaceOf(owner), { projects: ['prj_01jzzzzzzzzzzzzzzzzzzzzzzz'] });
    await expect(peer.call(Rpc.listMembers, {}, restricted)).rejects.toMatchObject(FORBIDDEN);
    await expect(invite({ call: restricted }, newEmail())).rejects.toMatchObject(FORBIDDEN);
  });

  it('of the last owner can be given up by none of them: of 20 pairs of owners who leave at once, one stays', async () => {
    for (let n = 0; n < 20; n += 1) {
      const one = await accounts.signUp(newEmail());
      const { peer } = accounts.service;
      const two = await accounts.signUp(newEmail());
      await accounts.servers.database.sql("INSERT INTO identity.memberships VALUES ($1, $2, 'owner', now())", [
        workspaceOf(one),
        userId(two),
      ]);
      const inOne = personIn(workspaceOf(one), { userId: userId(two), sessionId: two.session.id });
      const leaves = [
        remove(one, userId(one)),
        peer.call(Rpc.removeMember, { userId: userId(two), revokeKeys: false }, inOne),
      ];
      expect(await outcomesOf(leaves)).toEqual(['conflict', 'ok']);
    }
  });

  it('of the last owner is not given up for another role, until there is a second owner', async () => {
    const owner = await accounts.signUp(newEmail());
    await expect(setRole(owner, userId(owner), 'admin')).rejects.toMatchObject({ code: 'conflict' });
    await join(owner, 'owner');
    await setRole(owner, userId(owner), 'admin');
  });

  it('of a person limits the keys the person makes, which are revoked with the member if requested', async () => {
    const owner = await accounts.signUp(newEmail());
    const admin = await join(owner, 'admin');
    const request = {
      name: 'mine',
      scopes: ['admin'],
      access: accessToWire(ALL_PROJECTS),
      expiresInDays: undefined,
      rpm: undefined,
    };
    const { key, secret } = await accounts.service.peer.call(Identity.createKey, request, admin.call);
    expect(key?.createdBy).toBe(userId(admin));
    const asMember = personIn(workspaceOf(owner), { scope: 'write', userId: userId(admin) });
    await expect(accounts.service.peer.call(Identity.createKey, request, asMember)).rejects.toMatchObject(FORBIDDEN);
    await remove(owner, userId(admin), true);
    const revoked = await accounts.servers.database.sql(
      `SELECT actor_id FROM identity.audit WHERE action = 'key.revoked' AND subject_id = $1`,
      [key?.id],
    );
    expect(revoked).toEqual([{ actor_id: userId(owner) }]);
    await expect(accounts.service.peer.call(Identity.authenticate, { secret }, anonymous())).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });
});

describe('the access that a person granted to an application', () => {
  const grant = async ({ call }: SignedIn, scope: 'read' | 'write') =>
    (await accounts.service.peer.call(Identity.grantAccess, { clientName: 'Agent', scope }, call)).secret;
  const isValid = (secret: string) =>
    accounts.service.peer.call(Identity.authenticate, { secret }, anonymous()).then(
      () => true,
      () => false,
    );

  it('ends with their membership, also where their keys remain', async () => {
    const owner = await accounts.signUp(newEmail());
    const member = await join(owner, 'member');
    const secret = await grant(member, 'write');
    expect(await isValid(secret)).toBe(true);
    await remove(owner, userId(member));
    expect(await isValid(secret)).toBe(false);
    await expect(grant(member, 'read')).rejects.toMatchObject(FORBIDDEN);
  });

  it('ends with the role that allowed it', async () => {
    const owner = await accounts.signUp(newEmail());
    const member = await join(owner, 'member');
    const secrets = [await grant(member, 'read'), await grant(member, 'write')];
    await setRole(owner, userId(member), 'viewer');
    expect(await Promise.all(secrets.map(isValid))).toEqual([true, false]);
    await expect(grant(member, 'write')).rejects.toMatchObject({ code: 'scopes' });
  });

  it('is not granted by keys, and the oldest of more than 20 grants of a person ends', async () => {
    const owner = await accounts.signUp(newEmail());
    await expect(grant({ ...owner, call: callerIn(workspaceOf(owner)) }, 'read')).rejects.toMatchObject(FORBIDDEN);
    const secrets: string[] = [];
    for (let n = 0; n < 21; n += 1) secrets.push(await grant(owner, 'read'));
    const valid = await Promise.all(secrets.map(isValid));
    expect(valid).toEqual(secrets.map((_, at) => at > 0));
  });
});

describe('the second-factor rule of a workspace', () => {
  const rule = (call: SignedIn['call']) =>
    accounts.service.peer.call(
      Identity.updateWorkspace,
      { requireSecondFactor: true, maxRpm: undefined, name: undefined },
      call,
    );

  it('is set by an owner who has a factor, and by no admin and no key', async () => {
    const owner = await accounts.signUp(newEmail());
    const admin = await join(owner, 'admin');
    await expect(rule(admin.call)).rejects.toMatchObject(FORBIDDEN);
    await expect(rule(callerIn(workspaceOf(owner)))).rejects.toMatchObject(FORBIDDEN);
    await expect(rule(owner.call)).rejects.toMatchObject({ code: 'conflict' });
    const { person } = await accounts.enrol(owner);
    expect((await rule(person.call)).workspace?.requireSecondFactor).toBe(true);
  });
});
