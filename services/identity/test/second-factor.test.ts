import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountServiceService as Rpc, type TwoFactorChange } from '@tidemark/contracts/identity/v1/accounts';
import { anonymous } from '@tidemark/testkit';
import {
  type AccountServers,
  CLIENT,
  codeOf,
  newEmail,
  outcomesOf,
  PASSWORD,
  type SignedIn,
  startAccounts,
} from './account-servers.ts';

let accounts: AccountServers;
beforeAll(async () => {
  accounts = await startAccounts();
}, 120_000);
afterAll(() => accounts.close());

const WRONG = { code: 'validation', httpStatus: 400 };
const STEP_MS = 30_000;
const authenticate = (token: string) => accounts.service.peer.call(Rpc.authenticateSession, { token }, anonymous());
const show = ({ call }: SignedIn, code: string, recoveryCode = '') =>
  accounts.service.peer.call(Rpc.verifyCode, { code, recoveryCode, client: CLIENT }, call);
const update = ({ call }: SignedIn, twoFactor: TwoFactorChange) =>
  accounts.service.peer.call(
    Rpc.updateProfile,
    { name: undefined, email: undefined, twoFactor, password: PASSWORD },
    call,
  );
/** Makes the code of the current step usable again, as if a step had passed. */
const stepPasses = ({ session }: SignedIn) =>
  accounts.servers.database.sql('UPDATE identity.factors SET last_step = 0 WHERE user_id = $1', [session.user?.id]);
const deleteAttempts = () => accounts.servers.database.sql('DELETE FROM identity.login_failures');

async function enrolled() {
  const email = newEmail();
  const made = await accounts.enrol(await accounts.signUp(email));
  return { email, ...made };
}

describe('a second factor', () => {
  it('is on once its first code is shown, which returns ten recovery codes and a new token, and ends other sessions', async () => {
    const email = newEmail();
    const before = await accounts.signUp(email);
    const other = await accounts.logIn(email);
    const { person, recoveryCodes } = await accounts.enrol(before);
    expect(new Set(recoveryCodes).size).toBe(10);
    expect(person.session).toMatchObject({ user: { hasFactor: true, recoveryCodesLeft: 10 } });
    expect(person.token).not.toBe(before.token);
    for (const { token } of [before, other])
      await expect(authenticate(token)).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await authenticate(person.token)).codeFreshMs).toBeGreaterThan(0);
    expect((await accounts.mailsTo(email)).at(-1)?.kind).toBe('factor_on');
  });

  it('makes a sign-in half until a code is shown, and the half token is replaced', async () => {
    const { email, secret, person } = await enrolled();
    const half = await accounts.logIn(email);
    expect(half.session).toMatchObject({ state: 'half', workspace: undefined, workspaces: [] });
    expect(await authenticate(half.token)).toMatchObject({ state: 'half' });
    await stepPasses(person);
    const { signedIn } = await show(half, codeOf(secret));
    expect(signedIn?.session?.state).toBe('full');
    await expect(authenticate(half.token)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await authenticate(signedIn?.token ?? '')).toMatchObject({ state: 'full', role: 'owner' });
  });

  it('accepts a code once, of 20 concurrent uses, and no earlier one after it', async () => {
    const { secret, person } = await enrolled();
    await stepPasses(person);
    const code = codeOf(secret);
    // Each attempt is counted before its result is known: five at once.
    expect(await outcomesOf(Array.from({ length: 20 }, () => show(person, code)))).toEqual(
      expect.arrayContaining(['ok', ...Array(4).fill('validation'), ...Array(15).fill('rate_limited')]),
    );
    await deleteAttempts();
    await expect(show(person, code)).rejects.toMatchObject(WRONG);
    await expect(show(person, codeOf(secret, Date.now() - STEP_MS))).rejects.toMatchObject(WRONG);
  });

  it('accepts the codes of one step before and after, and refuses those of more and other digits', async () => {
    const { secret, person } = await enrolled();
    for (const shift of [-3, 3])
      await expect(show(person, codeOf(secret, Date.now() + shift * STEP_MS))).rejects.toMatchObject(WRONG);
    await expect(show(person, '１２３４５６')).rejects.toMatchObject(WRONG);
    await deleteAttempts();
    const { stepOf } = await import('../src/proofs/totp.ts');
    const now = new Date(1_700_000_010_000);
    expect([-1, 0, 1].map((shift) => stepOf(secret, codeOf(secret, now.getTime() + shift * STEP_MS), now))).toEqual(
      [-1, 0, 1].map((shift) => Math.floor(now.getTime() / STEP_MS) + shift),
    );
    expect([-2, 2].map((shift) => stepOf(secret, codeOf(secret, now.getTime() + shift * STEP_MS), now))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('is replaced by a recovery code once', async () => {
    const { email, recoveryCodes } = await enrolled();
    const [first = '', second = ''] = recoveryCodes;
    const half = await accounts.logIn(email);
    const { signedIn } = await show(half, '', ` ${first.toUpperCase().replaceAll('-', ' ')} `);
    expect(signedIn?.session?.user?.recoveryCodesLeft).toBe(9);
    expect((await accounts.mailsTo(email)).map(({ kind }) => kind)).toContain('recovery_code_used');
    const again = await accounts.logIn(email);
    await expect(show(again, '', first)).rejects.toMatchObject(WRONG);
    await show(again, '', second);
  });

  it('is refused after five wrong codes, for a right one too, and the person is mailed once', async () => {
    const { email, secret, person } = await enrolled();
    await stepPasses(person);
    for (let n = 0; n < 5; n += 1) await expect(show(person, '000000')).rejects.toMatchObject(WRONG);
    for (const code of [codeOf(secret), '000000'])
      await expect(show(person, code)).rejects.toMatchObject({ code: 'rate_limited' });
    expect((await accounts.mailsTo(email)).filter(({ kind }) => kind === 'wrong_codes')).toHaveLength(1);
    await deleteAttempts();
  });

  it('that is pending completes no sign-in and is replaced by a new start', async () => {
    const { email, person } = await enrolled();
    const { secret: pending = '' } = await update(person, 'start');
    const half = await accounts.logIn(email);
    await expect(show(half, codeOf(pending))).rejects.toMatchObject(WRONG);
    const { secret: newer = '' } = await update(person, 'start');
    await expect(show(person, codeOf(pending))).rejects.toMatchObject(WRONG);
    expect((await show(person, codeOf(newer))).recoveryCodes).toHaveLength(10);
    await deleteAttempts();
  });

  it('is turned off with its recovery codes, which ends the other sessions; renewed codes replace the old ones', async () => {
    const { email, recoveryCodes, person } = await enrolled();
    const half = await accounts.logIn(email);
    const other = await show(half, '', recoveryCodes[0]);
    const renewed = await update(person, 'renew_codes');
    expect(renewed.recoveryCodes).toHaveLength(10);
    await expect(show(person, '', recoveryCodes[1])).rejects.toMatchObject(WRONG);
    expect(await update(person, 'off')).toMatchObject({ user: { hasFactor: false, recoveryCodesLeft: 0 } });
    await expect(authenticate(other.signedIn?.token ?? '')).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await accounts.logIn(email)).session.state).toBe('full');
  });

  it('is stored sealed, and recovery codes as hashes', async () => {
    const { secret, recoveryCodes } = await enrolled();
    for (const table of ['factors', 'recovery_codes']) {
      const rows = await accounts.servers.database.sql<{ row: string }>(
        `SELECT t::text AS row FROM identity.${table} t`,
      );
      expect(rows.filter(({ row }) => row.includes(secret) || row.includes(recoveryCodes[0] ?? 'x'))).toEqual([]);
    }
  });

  it('stays on after a reset of the password', async () => {
    const { email } = await enrolled();
    const { token = '' } = await accounts.service.peer.call(Rpc.makeResetToken, { email }, anonymous());
    await accounts.service.peer.call(
      Rpc.resetPassword,
      { token, password: 'a fresh long passphrase', client: CLIENT },
      anonymous(),
    );
    expect((await accounts.logIn(email, { password: 'a fresh long passphrase' })).session.state).toBe('half');
  });

  it('completes a sign-in in one request with the password, with a fresh code', async () => {
    const { email, secret, person } = await enrolled();
    await stepPasses(person);
    const { session, token } = await accounts.logIn(email, { code: codeOf(secret) });
    expect(session.state).toBe('full');
    expect((await authenticate(token)).codeFreshMs).toBeGreaterThan(590_000);
  });
});
