import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { anonymous } from '@tidemark/testkit';
import { type AccountServers, CLIENT, newEmail, outcomesOf, PASSWORD, startAccounts } from './account-servers.ts';
import { memberCalls, userId, workspaceOf } from './member-calls.ts';

let accounts: AccountServers;
beforeAll(async () => {
  accounts = await startAccounts({ ACCOUNT_MAILS: 'off' });
}, 120_000);
afterAll(() => accounts.close());

const FORBIDDEN = { code: 'forbidden' };
const { invite, accept, setRole, remove, rolesOf, authenticate, join } = memberCalls(() => accounts);

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

  it('gives the session of an account whose address is pending no access: a new account is made', async () => {
    const [owner, email] = [await accounts.signUp(newEmail()), newEmail()];
    const squatter = await accounts.signUp(email);
    await accounts.servers.database.sql("UPDATE identity.users SET address_state = 'pending' WHERE id = $1", [
      userId(squatter),
    ]);
    const { token } = await invite(owner, email);
    const joined = await accept(token, { sessionToken: squatter.token });
    expect(joined.session?.user?.id).not.toBe(userId(squatter));
  });

  it('is answered alike for an address with and without an account', async () => {
    const owner = await accounts.signUp(newEmail());
    const known = (await accounts.signUp(newEmail())).session.user?.email ?? '';
    const shapeOf = async (email: string) => {
      const { token, invite: made } = await invite(owner, email);
      return { ...made, id: '', email: '', token: token.length, expiresAt: made?.expiresAt instanceof Date };
    };
    expect(await shapeOf(known)).toEqual(await shapeOf(newEmail()));
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
    (await accounts.service.peer.call(Rpc.makeSetupToken, { workspaceId }, anonymous())).token ?? '';
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
  it('an address is unproven and may be used, a taken one is refused, and no reset link is mailed', async () => {
    const email = newEmail();
    const { session } = await accounts.signUp(email);
    expect([session.user?.isEmailVerified, session.mustVerifyEmail]).toEqual([false, false]);
    await expect(accounts.signUp(email)).rejects.toMatchObject({ code: 'conflict' });
    const reset = accounts.service.peer.call(Rpc.requestReset, { email, client: CLIENT }, anonymous());
    await expect(reset).rejects.toMatchObject({ code: 'conflict' });
  });
});
