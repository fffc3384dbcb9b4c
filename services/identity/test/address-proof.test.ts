import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { anonymous, startService, until } from '@tidemark/testkit';
import { identity } from '../src/service.ts';
import { accountCalls } from './account-calls.ts';
import { type AccountServers, CLIENT, newEmail, PASSWORD, type SignedIn, startAccounts } from './account-servers.ts';
import { keyRequest } from './key-client.ts';
import { memberCalls, userId, workspaceOf } from './member-calls.ts';

let accounts: AccountServers;
beforeAll(async () => {
  accounts = await startAccounts();
}, 120_000);
afterAll(() => accounts.close());

const UNAUTHORIZED = { code: 'unauthorized' };
const NEW_PASSWORD = 'another long passphrase';
const { authenticate, sql, verify, lastToken } = accountCalls(() => accounts);
const { accept, invite } = memberCalls(() => accounts);

/** Signs up, and sets the address to unproven, as an account that was made before the mail host was configured. */
async function unprovenPerson(email = newEmail()): Promise<SignedIn> {
  const person = await accounts.signUp(email);
  await sql("UPDATE identity.users SET address_state = 'unproven', email_verified_at = NULL WHERE id = $1", [
    userId(person),
  ]);
  return person;
}
const createKey = async (person: SignedIn) =>
  (await accounts.service.peer.call(Identity.createKey, keyRequest({}), person.call)).secret;
const authenticateKey = (secret: string) => accounts.service.peer.call(Identity.authenticate, { secret }, anonymous());
async function verificationLink(person: SignedIn): Promise<string> {
  await accounts.service.peer.call(Rpc.requestVerification, {}, person.call);
  return lastToken(person.session.user?.email ?? '', 'verify');
}
/** Accepts an invitation as a person with an account. */
async function joinWith(person: SignedIn, owner: SignedIn): Promise<SignedIn> {
  const { token } = await invite(owner, person.session.user?.email ?? '');
  const joined = await accept((await lastToken(person.session.user?.email ?? '', 'invite')) || token, {
    sessionToken: person.token,
    name: '',
    password: '',
  });
  if (joined.session === undefined) throw new Error('no session');
  return { token: joined.token, session: joined.session, call: accounts.callOf(joined.session) };
}
const rowsOf = async (table: 'factors' | 'passkeys' | 'recovery_codes', id: string) =>
  (await sql(`SELECT FROM identity.${table} WHERE user_id = $1`, [id])).length;

describe('an account of an unproven address that is verified from elsewhere than its session', () => {
  it('loses password, factors, passkeys, sessions, keys, open invitations and memberships of others, and says so in the audit logs and a mail', async () => {
    const [email, guest] = [newEmail(), newEmail()];
    const first = await accounts.signUp(email);
    const own = workspaceOf(first);
    const secret = await createKey(first);
    await invite(first, guest);
    const open = await lastToken(guest, 'invite');
    const other = await accounts.signUp(newEmail());
    const { person } = await accounts.enrol(await joinWith(first, other));
    await sql(
      `INSERT INTO identity.passkeys (id, user_id, credential_id, public_key, counter, rp_id, name, is_synced)
       VALUES ('psk_1', $1, '\\x01', '\\x01', 0, 'localhost', 'key', false)`,
      [userId(person)],
    );
    await sql("UPDATE identity.users SET address_state = 'unproven', email_verified_at = NULL WHERE id = $1", [
      userId(person),
    ]);
    expect(await authenticateKey(secret)).toMatchObject({ key: { createdBy: userId(first) } });

    expect(await verify(await verificationLink(person), { password: NEW_PASSWORD })).toEqual({ signedIn: undefined });

    await expect(authenticate(person.token)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(accounts.logIn(email)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(authenticateKey(secret)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(accept(open)).rejects.toMatchObject({ code: 'not_found' });
    const id = userId(person);
    expect([await rowsOf('factors', id), await rowsOf('passkeys', id), await rowsOf('recovery_codes', id)]).toEqual([
      0, 0, 0,
    ]);
    const owner = await accounts.logIn(email, { password: NEW_PASSWORD });
    expect(owner.session).toMatchObject({ state: 'full', user: { isEmailVerified: true } });
    expect(owner.session.workspaces.map(({ workspaceId }) => workspaceId)).toEqual([own]);
    const entries = await sql<{ workspace_id: string; detail: unknown }>(
      "SELECT workspace_id, detail FROM identity.audit WHERE action = 'account.reclaimed' AND subject_id = $1 ORDER BY id",
      [id],
    );
    expect(new Map(entries.map((entry) => [entry.workspace_id, entry.detail]))).toEqual(
      new Map([
        [own, { keys: 1, left: false }],
        [workspaceOf(other), { keys: 0, left: true }],
      ]),
    );
    expect((await accounts.mailsTo(email)).at(-1)).toMatchObject({ kind: 'account_reclaimed' });
  });

  it('requires a new password, and spends its link with that password only', async () => {
    const person = await unprovenPerson();
    const link = await verificationLink(person);
    await expect(verify(link)).rejects.toMatchObject({ code: 'validation', detail: [{ loc: ['body', 'password'] }] });
    await verify(link, { password: NEW_PASSWORD });
    await expect(verify(link, { password: NEW_PASSWORD })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('an account of an unproven address', () => {
  it('keeps all it has when its own session opens the link', async () => {
    const person = await unprovenPerson();
    const secret = await createKey(person);
    const { signedIn } = await verify(await verificationLink(person), { sessionToken: person.token });
    expect(signedIn?.session).toMatchObject({ mustVerifyEmail: false, user: { isEmailVerified: true } });
    expect(await authenticateKey(secret)).toMatchObject({ key: { createdBy: userId(person) } });
    await accounts.logIn(person.session.user?.email ?? '');
  });

  it('must be verified where mails are sent, and gets its verification link instead of a reset link', async () => {
    const person = await unprovenPerson();
    const email = person.session.user?.email ?? '';
    expect(await authenticate(person.token)).toMatchObject({ mustVerifyEmail: true, isEmailVerified: false });
    const before = (await accounts.mailsTo(email)).length;
    await accounts.service.peer.call(Rpc.requestReset, { email, client: CLIENT }, anonymous());
    const added = await until('the mail', async () => {
      const mails = (await accounts.mailsTo(email)).slice(before);
      return mails.length === 0 ? undefined : mails;
    });
    expect(added.map(({ kind }) => kind)).toEqual(['verify']);
  });

  it('and the account that has proven the address each sign in with their own password', async () => {
    const email = newEmail();
    const unproven = await unprovenPerson(email);
    const proven = await accounts.signUp(newEmail());
    const update = { name: undefined, email: undefined, twoFactor: undefined, password: PASSWORD };
    await accounts.service.peer.call(Rpc.updateProfile, update, proven.call);
    await accounts.service.peer.call(Rpc.changePassword, { current: PASSWORD, password: NEW_PASSWORD }, proven.call);
    await sql('UPDATE identity.users SET email = $2 WHERE id = $1', [userId(proven), email]);
    expect(userId(await accounts.logIn(email))).toBe(userId(unproven));
    expect(userId(await accounts.logIn(email, { password: NEW_PASSWORD }))).toBe(userId(proven));
    await expect(accounts.logIn(email, { password: 'a third long passphrase' })).rejects.toMatchObject(UNAUTHORIZED);
  });
});

describe('without a mail host', () => {
  it('a handed invitation and a changed address prove nothing, and a taken address is refused', async () => {
    const service = await startService(identity, {
      ...accounts.servers.env,
      SEALING_KEYS: Buffer.alloc(32, 1).toString('base64'),
      SIGN_UP: 'open',
      ACCOUNT_MAILS: 'off',
    });
    try {
      const owner = await accounts.signUp(newEmail());
      const invited = newEmail();
      const handed = await service.peer.call(Rpc.createInvite, { email: invited, role: 'viewer' as const }, owner.call);
      const accepting = {
        token: handed.token ?? '',
        name: 'Bob',
        password: PASSWORD,
        sessionToken: '',
        client: CLIENT,
      };
      const { signedIn } = await service.peer.call(Rpc.acceptInvite, accepting, anonymous());
      expect(signedIn?.session).toMatchObject({ mustVerifyEmail: false, user: { isEmailVerified: false } });
      const rename = (email: string) =>
        service.peer.call(
          Rpc.updateProfile,
          { name: undefined, email, twoFactor: undefined, password: PASSWORD },
          owner.call,
        );
      await expect(rename(invited)).rejects.toMatchObject({ code: 'conflict' });
      const next = newEmail();
      expect(await rename(next)).toMatchObject({
        pendingEmail: undefined,
        user: { email: next, isEmailVerified: false },
      });
    } finally {
      await service.close();
    }
  });

  it('a mailed invitation proves the address of a new account', async () => {
    const [owner, invited] = [await accounts.signUp(newEmail()), newEmail()];
    await invite(owner, invited);
    const joined = await accept(await lastToken(invited, 'invite'));
    expect(joined.session?.user).toMatchObject({ email: invited, isEmailVerified: true });
  });
});
