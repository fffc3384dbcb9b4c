import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { anonymous } from '@tidemark/testkit';
import { accountCalls } from './account-calls.ts';
import { type AccountServers, CLIENT, newEmail, PASSWORD, startAccounts } from './account-servers.ts';

let accounts: AccountServers;
beforeAll(async () => {
  accounts = await startAccounts();
}, 120_000);
afterAll(() => accounts.close());

const UNAUTHORIZED = { code: 'unauthorized' };
const { authenticate, sql, reset, verify, lastToken, resetToken } = accountCalls(() => accounts);

describe('a sign-up', () => {
  it('makes the person the owner of a new workspace, with a session that authenticates', async () => {
    const { token, session } = await accounts.signUp(newEmail());
    expect(session).toMatchObject({ state: 'full', role: 'owner', workspaces: [{ role: 'owner' }] });
    expect(await authenticate(token)).toMatchObject({ role: 'owner', isEmailVerified: true, state: 'full' });
  });

  it('answers alike for a new and a taken address, mails the owner of the taken one, and locks out neither', async () => {
    const email = newEmail();
    await accounts.signUp(email);
    const [fresh, taken] = [await accounts.signUp(newEmail(), false), await accounts.signUp(email, false)];
    const shape = ({ session }: typeof fresh) => ({
      ...session,
      id: '',
      user: { ...session.user, id: '', email: '' },
      workspace: '',
      workspaces: [],
      createdAt: '',
      expiresAt: '',
    });
    expect(shape(taken)).toEqual(shape(fresh));
    expect((await accounts.mailsTo(email)).map(({ kind }) => kind)).toEqual(['verify', 'taken']);
    // The unverified account can not sign in: the password of the owner still counts.
    expect((await accounts.logIn(email)).session.user?.isEmailVerified).toBe(true);
  });

  it('of a stranger with the address of another person gives the stranger no access once the person verifies', async () => {
    const email = newEmail();
    const stranger = await accounts.signUp(email, false);
    const link = await lastToken(email, 'verify');
    await expect(verify(link)).rejects.toMatchObject({ code: 'validation', detail: [{ loc: ['body', 'password'] }] });
    expect(await verify(link, { password: 'another long passphrase' })).toEqual({ signedIn: undefined });
    await expect(authenticate(stranger.token)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(accounts.logIn(email)).rejects.toMatchObject(UNAUTHORIZED);
    await accounts.logIn(email, { password: 'another long passphrase' });
  });

  it('is refused with a short, common or personal password, and the error names the field', async () => {
    const attempt = (password: string) =>
      accounts.service.peer.call(
        Rpc.signUp,
        {
          email: 'anneliese@example.com',
          password,
          name: 'Anneliese',
          workspaceName: '',
          setupToken: '',
          client: CLIENT,
        },
        anonymous(),
      );
    for (const password of [
      'short',
      'Password1!2024',
      'P@ssw0rd!!!!',
      'anneliese2024',
      'tidemark-1234',
      'x'.repeat(300),
    ])
      await expect(attempt(password)).rejects.toMatchObject({
        code: 'validation',
        detail: [{ loc: ['body', 'password'] }],
      });
  });

  it('that is not verified within a day is deleted with its workspace', async () => {
    const { session } = await accounts.signUp(newEmail(), false);
    await sql("UPDATE identity.users SET created_at = now() - interval '25 hours' WHERE id = $1", [session.user?.id]);
    const { UserStore } = await import('../src/store/user-store.ts');
    const { openPool } = await import('@tidemark/service');
    const pool = openPool(accounts.servers.database.url, 'identity', 1);
    await new UserStore(pool).deleteUnverified(86_400);
    await pool.end();
    expect(await sql('SELECT id FROM identity.workspaces WHERE id = $1', [session.workspace?.id])).toEqual([]);
    expect(await sql('SELECT id FROM identity.users WHERE id = $1', [session.user?.id])).toEqual([]);
  });
});

describe('a change of the address', () => {
  const update = (
    call: Parameters<typeof accounts.service.peer.call>[2],
    change: { email?: string; password?: string },
  ) =>
    accounts.service.peer.call(
      Rpc.updateProfile,
      { name: undefined, email: undefined, password: PASSWORD, ...change },
      call,
    );

  it('requires the password, counts when the new address is verified, and can be undone from the old one', async () => {
    const [email, next] = [newEmail(), newEmail()];
    const person = await accounts.signUp(email);
    await expect(update(person.call, { email: next, password: 'wrong' })).rejects.toMatchObject({ httpStatus: 400 });
    expect(await update(person.call, { email: next })).toMatchObject({ pendingEmail: next, user: { email } });
    expect((await accounts.mailsTo(email)).at(-1)).toMatchObject({ kind: 'email_changing', otherEmail: next });
    const changed = await verify(await lastToken(next, 'email_change'), { sessionToken: person.token });
    expect(changed.signedIn?.session?.user?.email).toBe(next);
    const undo = await lastToken(email, 'email_changed');
    // A second change does not remove the way back.
    await update(person.call, { email: newEmail() });
    expect(await verify(undo)).toEqual({ signedIn: undefined });
    await expect(authenticate(changed.signedIn?.token ?? '')).rejects.toMatchObject(UNAUTHORIZED);
    await expect(accounts.logIn(next)).rejects.toMatchObject(UNAUTHORIZED);
    await reset(await resetToken(email), 'a fresh long passphrase');
    await accounts.logIn(email, { password: 'a fresh long passphrase' });
  });

  it('to an address of another person sends that person a mail without a link', async () => {
    const [email, other] = [newEmail(), newEmail()];
    await accounts.signUp(other);
    const person = await accounts.signUp(email);
    expect(await update(person.call, { email: other })).toMatchObject({ pendingEmail: other });
    expect((await accounts.mailsTo(other)).at(-1)).toEqual({ kind: 'taken', to: other, name: 'Ann' });
  });
});
