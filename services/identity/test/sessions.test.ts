import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { anonymous } from '@tidemark/testkit';
import { accountCalls } from './account-calls.ts';
import { type AccountServers, CLIENT, newEmail, outcomesOf, PASSWORD, startAccounts } from './account-servers.ts';

let accounts: AccountServers;
beforeAll(async () => {
  accounts = await startAccounts();
}, 120_000);
afterAll(() => accounts.close());

const UNAUTHORIZED = { code: 'unauthorized' };
const { authenticate, sql, reset, verify, lastToken, resetToken } = accountCalls(() => accounts);

describe('a sign-in', () => {
  it('is refused with one message for an unknown address, a wrong password and an unverified account', async () => {
    const [known, unverified] = [newEmail(), newEmail()];
    await accounts.signUp(known);
    await accounts.signUp(unverified, false);
    const attempts = [
      accounts.logIn(newEmail()),
      accounts.logIn(known, { password: 'wrong but long enough' }),
      accounts.logIn(unverified),
    ];
    const messages = await Promise.all(attempts.map((attempt) => attempt.then(String, (error) => error.message)));
    expect(new Set(messages)).toEqual(new Set(['the address or the password is wrong']));
  });

  it('has a new token each time, and ends the oldest of more than twenty sessions', async () => {
    const email = newEmail();
    const first = await accounts.signUp(email);
    const tokens = new Set<string>();
    for (let n = 0; n < 20; n += 1) tokens.add((await accounts.logIn(email)).token);
    expect(tokens.size).toBe(20);
    await expect(authenticate(first.token)).rejects.toMatchObject(UNAUTHORIZED);
    for (const token of tokens) await authenticate(token);
  });

  it('is refused after five wrong passwords from one address, for concurrent guesses too, and not from another', async () => {
    const email = newEmail();
    await accounts.signUp(email);
    const ip = '198.51.100.7';
    const guesses = Array.from({ length: 12 }, () => accounts.logIn(email, { password: 'wrong but long enough', ip }));
    expect(await outcomesOf(guesses)).toEqual([...Array(7).fill('rate_limited'), ...Array(5).fill('unauthorized')]);
    await expect(accounts.logIn(email, { ip })).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: expect.any(Number),
    });
    await accounts.logIn(email, { ip: '198.51.100.8' });
  });

  it('of one account is refused after twenty wrong passwords from many addresses, and not from one the person uses', async () => {
    const email = newEmail();
    await accounts.signUp(email);
    const guesses = Array.from({ length: 24 }, (_, n) =>
      accounts.logIn(email, { password: 'wrong but long enough', ip: `203.0.113.${n}` }),
    );
    expect(await outcomesOf(guesses)).toEqual([...Array(4).fill('rate_limited'), ...Array(20).fill('unauthorized')]);
    await expect(accounts.logIn(email, { ip: '203.0.113.99' })).rejects.toMatchObject({ code: 'rate_limited' });
    await accounts.logIn(email);
  });

  it('from a new address with a new program is mailed to the person, and a known one is not', async () => {
    const email = newEmail();
    await accounts.signUp(email);
    await accounts.logIn(email);
    const request = { email, password: PASSWORD, code: '', client: { ip: '192.0.2.1', userAgent: 'another' } };
    for (const _ of [1, 2]) await accounts.service.peer.call(Rpc.logIn, request, anonymous());
    expect((await accounts.mailsTo(email)).filter(({ kind }) => kind === 'new_sign_in')).toMatchObject([
      { ip: '192.0.2.1' },
    ]);
  });
});

describe('a sign-in in a browser with a session', () => {
  it('ends that session, also that of another person', async () => {
    const [first, second] = [await accounts.signUp(newEmail()), newEmail()];
    await accounts.signUp(second);
    const client = { ...CLIENT, sessionToken: first.token };
    const request = { email: second, password: PASSWORD, code: '', client };
    const { signedIn } = await accounts.service.peer.call(Rpc.logIn, request, anonymous());
    await expect(authenticate(first.token)).rejects.toMatchObject(UNAUTHORIZED);
    await authenticate(signedIn?.token ?? '');
  });
});

describe('a session', () => {
  it('is stored as a hash, and the database contains neither its token nor the password', async () => {
    const { token } = await accounts.signUp(newEmail());
    for (const table of ['sessions', 'users', 'one_time_tokens', 'outbox']) {
      const rows = await sql<{ row: string }>(`SELECT t::text AS row FROM identity.${table} t`);
      expect(rows.filter(({ row }) => row.includes(token) || row.includes(PASSWORD))).toEqual([]);
    }
  });

  it.each([
    ['its absolute limit', "expires_at = now() - interval '1 second'"],
    ['seven idle days', "last_seen_at = now() - interval '7 days 1 second'"],
  ])('ends at %s', async (_, change) => {
    const { token, session } = await accounts.signUp(newEmail());
    await sql(`UPDATE identity.sessions SET ${change} WHERE id = $1`, [session.id]);
    await expect(authenticate(token)).rejects.toMatchObject(UNAUTHORIZED);
  });

  it('has a new token after a switch of the workspace, and the old one is refused', async () => {
    const { token, session, call } = await accounts.signUp(newEmail());
    const workspaceId = session.workspace?.id ?? '';
    const switched = await accounts.service.peer.call(Rpc.switchWorkspace, { workspaceId }, call);
    await expect(authenticate(token)).rejects.toMatchObject(UNAUTHORIZED);
    await authenticate(switched.signedIn?.token ?? '');
  });

  it('cannot be moved to a workspace of others', async () => {
    const [{ call }, other] = [await accounts.signUp(newEmail()), await accounts.signUp(newEmail())];
    const workspaceId = other.session.workspace?.id ?? '';
    await expect(accounts.service.peer.call(Rpc.switchWorkspace, { workspaceId }, call)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is ended alone, with all others, or everywhere, and never by another person', async () => {
    const email = newEmail();
    const one = await accounts.signUp(email);
    const [two, three, stranger] = [
      await accounts.logIn(email),
      await accounts.logIn(email),
      await accounts.signUp(newEmail()),
    ];
    const { peer } = accounts.service;
    await expect(
      peer.call(Rpc.endSessions, { sessions: { $case: 'id', value: two.session.id } }, stranger.call),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
    await peer.call(Rpc.endSessions, { sessions: { $case: 'id', value: two.session.id } }, one.call);
    await expect(authenticate(two.token)).rejects.toMatchObject(UNAUTHORIZED);
    const { sessions } = await peer.call(Rpc.listSessions, {}, one.call);
    expect(sessions.map(({ id, isCurrent }) => [id, isCurrent])).toEqual(
      expect.arrayContaining([
        [one.session.id, true],
        [three.session.id, false],
      ]),
    );
    await peer.call(Rpc.endSessions, { sessions: { $case: 'allOthers', value: {} } }, one.call);
    await expect(authenticate(three.token)).rejects.toMatchObject(UNAUTHORIZED);
    await authenticate(one.token);
    await peer.call(Rpc.logOut, { everywhere: true }, one.call);
    await expect(authenticate(one.token)).rejects.toMatchObject(UNAUTHORIZED);
    await authenticate(stranger.token);
  });
});

describe('a password', () => {
  it('is set by one of 20 concurrent uses of a reset link, which ends every session and opens none', async () => {
    const email = newEmail();
    const { token } = await accounts.signUp(email);
    const link = await resetToken(email);
    const fresh = 'a fresh long passphrase';
    const outcomes = await outcomesOf(Array.from({ length: 20 }, () => reset(link, fresh)));
    expect(outcomes).toEqual([...Array(19).fill('not_found'), 'ok']);
    await expect(authenticate(token)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(accounts.logIn(email)).rejects.toMatchObject(UNAUTHORIZED);
    await accounts.logIn(email, { password: fresh });
    expect((await accounts.mailsTo(email)).at(-1)?.kind).toBe('password_changed');
  });

  it('is not set by an expired link, an older one, or the link of a verification', async () => {
    const email = newEmail();
    const verification = await (async () => {
      await accounts.signUp(email, false);
      return lastToken(email, 'verify');
    })();
    await expect(reset(verification, 'a fresh long passphrase')).rejects.toMatchObject({ code: 'not_found' });
    await verify(verification, { password: PASSWORD });
    const [older, newer] = [await resetToken(email), await resetToken(email)];
    await expect(reset(older, 'a fresh long passphrase')).rejects.toMatchObject({ code: 'not_found' });
    await expect(verify(newer)).rejects.toMatchObject({ code: 'not_found' });
    await sql("UPDATE identity.one_time_tokens SET expires_at = now() - interval '1 second' WHERE email = $1", [email]);
    await expect(reset(newer, 'a fresh long passphrase')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is required for its change, which ends the other sessions', async () => {
    const email = newEmail();
    const one = await accounts.signUp(email);
    const two = await accounts.logIn(email);
    const change = (current: string) =>
      accounts.service.peer.call(Rpc.changePassword, { current, password: 'a fresh long passphrase' }, one.call);
    await expect(change('wrong')).rejects.toMatchObject({ httpStatus: 400, detail: [{ loc: ['body', 'current'] }] });
    await change(PASSWORD);
    await authenticate(one.token);
    await expect(authenticate(two.token)).rejects.toMatchObject(UNAUTHORIZED);
  });

  it('link is not mailed to an unknown address, with the same response', async () => {
    const email = newEmail();
    expect(await accounts.service.peer.call(Rpc.requestReset, { email, client: CLIENT }, anonymous())).toEqual({});
    const known = newEmail();
    await accounts.signUp(known);
    await resetToken(known);
    expect(await accounts.mailsTo(email)).toEqual([]);
  });
});

describe('a person who signed out', () => {
  it('is mailed of no new sign-in from the same address or program', async () => {
    const email = newEmail();
    const { call } = await accounts.signUp(email);
    await accounts.service.peer.call(Rpc.logOut, { everywhere: false }, call);
    await accounts.logIn(email);
    expect((await accounts.mailsTo(email)).map(({ kind }) => kind)).toEqual(['verify']);
  });
});
