import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Role } from '@tidemark/contracts';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { anonymous, callerIn } from '@tidemark/testkit';
import {
  type AccountServers,
  CLIENT,
  newEmail,
  outcomesOf,
  PASSWORD,
  type SignedIn,
  startAccounts,
} from './account-servers.ts';

let accounts: AccountServers;
beforeAll(async () => {
  accounts = await startAccounts({ ACCOUNT_MAILS: 'off' });
}, 120_000);
afterAll(() => accounts.close());

const FORBIDDEN = { code: 'forbidden' };
const userId = ({ session }: SignedIn) => session.user?.id ?? '';
const workspaceOf = ({ session }: SignedIn) => session.workspace?.id ?? '';
const invite = ({ call }: Pick<SignedIn, 'call'>, email: string, role = 'member') =>
  accounts.service.peer.call(Rpc.createInvite, { email, role }, call);
const accept = async (token: string, more: { name?: string; password?: string; sessionToken?: string } = {}) => {
  const { signedIn } = await accounts.service.peer.call(
    Rpc.acceptInvite,
    { token, name: 'Bob', password: PASSWORD, sessionToken: '', client: CLIENT, ...more },
    anonymous(),
  );
  if (signedIn === undefined) throw new Error('identity opened no session');
  return signedIn;
};
const setRole = ({ call }: SignedIn, id: string, role: Role) =>
  accounts.service.peer.call(Rpc.updateMember, { userId: id, role }, call);
const remove = ({ call }: SignedIn, id: string, revokeKeys = false) =>
  accounts.service.peer.call(Rpc.removeMember, { userId: id, revokeKeys }, call);
const rolesOf = async ({ call }: SignedIn) =>
  (await accounts.service.peer.call(Rpc.listMembers, {}, call)).members.map(({ role }) => role).sort();
const authenticate = (token: string) => accounts.service.peer.call(Rpc.authenticateSession, { token }, anonymous());

/** Makes a new person a member of the owner's workspace. */
async function join(owner: SignedIn, role: Role): Promise<SignedIn> {
  const { token } = await invite(owner, newEmail(), role === 'owner' ? 'admin' : role);
  const { token: session, session: view } = await accept(token);
  if (view === undefined) throw new Error('no session');
  const member = { token: session, session: view, call: accounts.callOf(view) };
  if (role === 'owner') await setRole(owner, userId(member), 'owner');
  return member;
}

describe('an invitation', () => {
  it('makes a new person a member with its role, once of 20 concurrent uses', async () => {
    const owner = await accounts.signUp(newEmail());
    const { token } = await invite(owner, newEmail(), 'viewer');
    expect(await outcomesOf(Array.from({ length: 20 }, () => accept(token)))).toEqual(expect.arrayContaining(['ok']));
    expect(await rolesOf(owner)).toEqual(['owner', 'viewer']);
    await expect(accept(token)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a person with an account is accepted by their session only, which moves to the workspace', async () => {
    const [owner, email] = [await accounts.signUp(newEmail()), newEmail()];
    const person = await accounts.signUp(email);
    const { token } = await invite(owner, email, 'admin');
    await expect(accept(token)).rejects.toMatchObject({ code: 'unauthorized' });
    const stranger = await accounts.signUp(newEmail());
    await expect(accept(token, { sessionToken: stranger.token })).rejects.toMatchObject(FORBIDDEN);
    const joined = await accept(token, { sessionToken: person.token, name: '', password: '' });
    expect(joined.session).toMatchObject({
      role: 'admin',
      workspace: { id: workspaceOf(owner) },
      workspaces: [{}, {}],
    });
    await expect(authenticate(person.token)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('is refused after it was revoked, replaced by a newer one, or has expired', async () => {
    const [owner, email] = [await accounts.signUp(newEmail()), newEmail()];
    const older = await invite(owner, email);
    const newer = await invite(owner, email);
    await expect(accept(older.token)).rejects.toMatchObject({ code: 'not_found' });
    await accounts.service.peer.call(Rpc.revokeInvite, { id: newer.invite?.id ?? '' }, owner.call);
    await expect(accept(newer.token)).rejects.toMatchObject({ code: 'not_found' });
    const { token, invite: last } = await invite(owner, email);
    await accounts.servers.database.sql('UPDATE identity.invites SET expires_at = now() WHERE id = $1', [last?.id]);
    await expect(accept(token)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is never for an owner, and not made by members and viewers', async () => {
    const owner = await accounts.signUp(newEmail());
    await expect(invite(owner, newEmail(), 'owner')).rejects.toMatchObject(FORBIDDEN);
    for (const role of ['member', 'viewer'] as const)
      await expect(invite(await join(owner, role), newEmail(), 'viewer')).rejects.toMatchObject(FORBIDDEN);
    await expect(invite(owner, newEmail(), 'root')).rejects.toMatchObject({ code: 'validation' });
  });

  it('of an admin is revoked when the admin loses the role or leaves', async () => {
    const owner = await accounts.signUp(newEmail());
    for (const end of [(id: string) => setRole(owner, id, 'member'), (id: string) => remove(owner, id)]) {
      const admin = await join(owner, 'admin');
      const { token } = await invite(admin, newEmail(), 'admin');
      await end(userId(admin));
      await expect(accept(token)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('gives an unverified session of its address no access: a new account is made', async () => {
    const [owner, email] = [await accounts.signUp(newEmail()), newEmail()];
    const squatter = await accounts.signUp(email);
    await accounts.servers.database.sql('UPDATE identity.users SET email_verified_at = NULL WHERE id = $1', [
      userId(squatter),
    ]);
    const { token } = await invite(owner, email);
    const joined = await accept(token, { sessionToken: squatter.token });
    expect(joined.session?.user?.id).not.toBe(userId(squatter));
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
      const inOne = callerIn(workspaceOf(one), { keyId: '', userId: userId(two), sessionId: two.session.id });
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
    const request = { name: 'mine', scopes: ['admin'], projects: [], expiresInDays: undefined, rpm: undefined };
    const { key, secret } = await accounts.service.peer.call(Identity.createKey, request, admin.call);
    expect(key?.createdBy).toBe(userId(admin));
    const asMember = {
      ...admin.call,
      caller: { ...callerIn(workspaceOf(owner)).caller, scope: 'write', keyId: '', userId: userId(admin) },
    };
    await expect(
      accounts.service.peer.call(Identity.createKey, request, asMember as typeof admin.call),
    ).rejects.toMatchObject(FORBIDDEN);
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

describe('the first owner', () => {
  const signUp = (email: string, setupToken: string) =>
    accounts.service.peer.call(
      Rpc.signUp,
      { email, password: PASSWORD, name: 'Root', workspaceName: '', setupToken, client: CLIENT },
      anonymous(),
    );
  const setupToken = async (workspaceId: string) =>
    (await accounts.service.peer.call(Rpc.makeSetupToken, { workspaceId }, anonymous())).token;
  const newWorkspace = async () => {
    const made = await accounts.service.peer.call(
      Identity.createWorkspace,
      { name: 'First', plan: 'free', idempotencyKey: '' },
      anonymous(),
    );
    return made.workspace?.id ?? '';
  };

  it('is made by one of ten concurrent uses of the operator’s link, and no further link is made', async () => {
    const workspaceId = await newWorkspace();
    const token = await setupToken(workspaceId);
    const outcomes = await outcomesOf(Array.from({ length: 10 }, () => signUp(newEmail(), token)));
    expect(outcomes).toEqual([...Array(9).fill('not_found'), 'ok']);
    expect(await setupToken(workspaceId)).toBe('');
  });

  it('is made by the newest link only', async () => {
    const workspaceId = await newWorkspace();
    const [older, newer] = [await setupToken(workspaceId), await setupToken(workspaceId)];
    await expect(signUp(newEmail(), older)).rejects.toMatchObject({ code: 'not_found' });
    expect((await signUp(newEmail(), newer)).signedIn?.session).toMatchObject({
      role: 'owner',
      workspace: { id: workspaceId },
    });
  });
});

describe('without a mail host', () => {
  it('an address counts as verified, a taken one is refused, and no reset link is mailed', async () => {
    const email = newEmail();
    expect((await accounts.signUp(email)).session.user?.isEmailVerified).toBe(true);
    await expect(accounts.signUp(email)).rejects.toMatchObject({ code: 'conflict' });
    const reset = accounts.service.peer.call(Rpc.requestReset, { email, client: CLIENT }, anonymous());
    await expect(reset).rejects.toMatchObject({ code: 'conflict' });
  });
});
