import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountServiceService as Rpc, type TwoFactorChange } from '@tidemark/contracts/identity/v1/accounts';
import { anonymous, SoftwareAuthenticator } from '@tidemark/testkit';
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

const ORIGIN = 'https://tidemark.example';
const SITE = { rpId: 'tidemark.example', origins: [ORIGIN] };
const REFUSED = { code: 'validation', httpStatus: 400 };
const UNAUTHORIZED = { code: 'unauthorized' };

let accounts: AccountServers;
beforeAll(async () => {
  accounts = await startAccounts();
}, 120_000);
afterAll(() => accounts.close());

const peer = () => accounts.service.peer;
const authenticate = (token: string) => peer().call(Rpc.authenticateSession, { token }, anonymous());
const device = (more: object = {}) => new SoftwareAuthenticator({ origin: ORIGIN, ...more });
const toWire = ({ id, response }: ReturnType<SoftwareAuthenticator['get']>) => ({
  id,
  clientDataJson: response.clientDataJSON,

  authenticatorData: response.authenticatorData,
  signature: response.signature,
});

async function start({ call }: SignedIn, password = PASSWORD) {
  const { optionsJson } = await peer().call(Rpc.startPasskey, { password, site: SITE }, call);
  return JSON.parse(optionsJson);
}

function add({ call }: SignedIn, { id, response }: ReturnType<SoftwareAuthenticator['create']>, site = SITE) {
  const { clientDataJSON: clientDataJson, attestationObject, transports } = response;
  const attestation = { id, clientDataJson, attestationObject, transports };
  return peer().call(Rpc.addPasskey, { name: 'Laptop', attestation, site }, call);
}

/** A person with a passkey as the only factor. */
async function enrolled(authenticator = device()) {
  const email = newEmail();
  const person = await accounts.signUp(email);
  const added = await add(person, authenticator.create(await start(person)));
  return { email, person, authenticator, added };
}

async function logInOptions() {
  const { optionsJson } = await peer().call(Rpc.startPasskeyLogIn, { site: SITE, client: CLIENT }, anonymous());
  return JSON.parse(optionsJson);
}
const logIn = (assertion: ReturnType<SoftwareAuthenticator['get']>, site = SITE) =>
  peer().call(Rpc.logInWithPasskey, { assertion: toWire(assertion), site, client: CLIENT }, anonymous());

async function checkOptions({ call }: SignedIn) {
  return JSON.parse((await peer().call(Rpc.startPasskeyCheck, { site: SITE }, call)).optionsJson);
}
const show = ({ call }: SignedIn, assertion: ReturnType<SoftwareAuthenticator['get']>) =>
  peer().call(
    Rpc.verifyCode,
    { code: '', recoveryCode: '', client: CLIENT, passkey: toWire(assertion), site: SITE },
    call,
  );

describe('a passkey', () => {
  it('that is the first factor comes with ten recovery codes and a new token, ends other sessions and is mailed', async () => {
    const email = newEmail();
    const person = await accounts.signUp(email);
    const other = await accounts.logIn(email);
    const { passkey, recoveryCodes, signedIn } = await add(person, device().create(await start(person)));
    expect(passkey).toMatchObject({ name: 'Laptop', rpId: SITE.rpId, isSynced: false, lastUsedAt: undefined });
    expect(new Set(recoveryCodes).size).toBe(10);
    expect(signedIn?.session?.user).toMatchObject({
      hasFactor: true,
      hasApp: false,
      passkeys: 1,
      recoveryCodesLeft: 10,
    });
    for (const { token } of [person, other]) await expect(authenticate(token)).rejects.toMatchObject(UNAUTHORIZED);
    expect(await authenticate(signedIn?.token ?? '')).toMatchObject({ hasFactor: true });
    expect((await accounts.mailsTo(email)).at(-1)).toMatchObject({ kind: 'passkey_added', passkeyName: 'Laptop' });
  });

  it('opens a full session with a fresh code, without address and password', async () => {
    const { email, authenticator } = await enrolled();
    const { signedIn } = await logIn(authenticator.get(await logInOptions()));
    expect(signedIn?.session).toMatchObject({ state: 'full', user: { email } });
    expect((await authenticate(signedIn?.token ?? '')).codeFreshMs).toBeGreaterThan(0);
  });

  it('is required after the password, and completes the sign-in', async () => {
    const { email, authenticator } = await enrolled();
    const half = await accounts.logIn(email);
    expect(half.session.state).toBe('half');
    const { signedIn } = await show(half, authenticator.get(await checkOptions(half)));
    expect(signedIn?.session?.state).toBe('full');
    await expect(authenticate(half.token)).rejects.toMatchObject(UNAUTHORIZED);
  });

  it('renews the freshness of the session, and no mail reports a recovery code', async () => {
    const { email, authenticator, added } = await enrolled();
    const person = { token: '', session: added.signedIn?.session, call: accounts.callOf(added.signedIn?.session) };
    await accounts.servers.database.sql('UPDATE identity.sessions SET code_shown_at = NULL WHERE id = $1', [
      person.session?.id,
    ]);
    const { optionsJson } = await peer().call(Rpc.startPasskeyCheck, { site: SITE }, person.call);
    const passkey = toWire(authenticator.get(JSON.parse(optionsJson)));
    const request = { code: '', recoveryCode: '', client: CLIENT, passkey, site: SITE };
    const { signedIn } = await peer().call(Rpc.verifyCode, request, person.call);
    expect((await authenticate(signedIn?.token ?? '')).codeFreshMs).toBeGreaterThan(0);
    expect((await accounts.mailsTo(email)).map(({ kind }) => kind)).not.toContain('recovery_code_used');
  });

  it('answers a challenge once, of ten concurrent uses', async () => {
    const { authenticator } = await enrolled();
    const assertion = authenticator.get(await logInOptions());
    expect(await outcomesOf(Array.from({ length: 10 }, () => logIn(assertion)))).toEqual([
      'ok',
      ...Array(9).fill('unauthorized'),
    ]);
  });

  it('is refused with a challenge of another purpose, of another person, after its expiry, or made up', async () => {
    const { email, authenticator } = await enrolled();
    const half = await accounts.logIn(email);
    const stranger = await enrolled();
    const strangerHalf = await accounts.logIn(stranger.email);
    await expect(logIn(authenticator.get(await checkOptions(half)))).rejects.toMatchObject(UNAUTHORIZED);
    await expect(show(half, authenticator.get(await logInOptions()))).rejects.toMatchObject(REFUSED);
    await expect(show(half, authenticator.get(await checkOptions(strangerHalf)))).rejects.toMatchObject(REFUSED);
    await expect(show(half, stranger.authenticator.get(await checkOptions(half)))).rejects.toMatchObject(REFUSED);
    const made = { challenge: 'A'.repeat(43), rpId: SITE.rpId };
    await expect(logIn(authenticator.get(made))).rejects.toMatchObject(UNAUTHORIZED);
    const expired = await logInOptions();
    await accounts.servers.database.sql(
      `UPDATE identity.one_time_tokens SET expires_at = now() - interval '1 second' WHERE kind = 'passkey_login'`,
    );
    await expect(logIn(authenticator.get(expired))).rejects.toMatchObject(UNAUTHORIZED);
  });

  it('is refused on a page of another origin and at another host name', async () => {
    const { authenticator } = await enrolled();
    const phishing = { rpId: 'evil.example', origins: ['https://evil.example'] };
    const assertion = authenticator.get(await logInOptions());
    await expect(logIn(assertion, phishing)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(logIn(assertion, { ...SITE, origins: phishing.origins })).rejects.toMatchObject(UNAUTHORIZED);
    const person = await accounts.signUp(newEmail());
    const foreign = new SoftwareAuthenticator({ origin: 'https://evil.example' }).create(await start(person));
    await expect(add(person, foreign)).rejects.toMatchObject(REFUSED);
  });

  it('signs in only if the authenticator verified its user; in place of a code presence is sufficient', async () => {
    const { email, authenticator } = await enrolled(device({ verifiesUser: false }));
    await expect(logIn(authenticator.get(await logInOptions()))).rejects.toMatchObject(UNAUTHORIZED);
    const half = await accounts.logIn(email);
    expect((await show(half, authenticator.get(await checkOptions(half)))).signedIn?.session?.state).toBe('full');
  });

  it('whose signature counter went back is refused: it was copied', async () => {
    const { authenticator } = await enrolled(device({ counts: true }));
    await logIn(authenticator.get(await logInOptions()));
    await logIn(authenticator.get(await logInOptions()));
    authenticator.counter = 0;
    await expect(logIn(authenticator.get(await logInOptions()))).rejects.toMatchObject(UNAUTHORIZED);
  });

  it('is not accepted with a changed signature, key or client data', async () => {
    const { authenticator } = await enrolled();
    const assertion = authenticator.get(await logInOptions());
    const signature = `${assertion.response.signature.slice(0, -6)}AAAAAA`;
    await expect(logIn({ ...assertion, response: { ...assertion.response, signature } })).rejects.toMatchObject(
      UNAUTHORIZED,
    );
    const other = device();
    const forged = { ...other.get(await logInOptions()), id: authenticator.id, rawId: authenticator.id };
    await expect(logIn(forged)).rejects.toMatchObject(UNAUTHORIZED);
    for (const clientDataJSON of ['AAAA', 'bm90IGpzb24', 'e30'])
      await expect(logIn({ ...assertion, response: { ...assertion.response, clientDataJSON } })).rejects.toMatchObject(
        UNAUTHORIZED,
      );
  });

  it('requires the password', async () => {
    const person = await accounts.signUp(newEmail());
    await expect(start(person, 'wrong')).rejects.toMatchObject(REFUSED);
  });

  it('that is stored already is refused with conflict, and the 21st of a person too', async () => {
    const { authenticator, added } = await enrolled();
    const again = await accounts.signUp(newEmail());
    await expect(add(again, authenticator.create(await start(again)))).rejects.toMatchObject({ code: 'conflict' });
    const call = accounts.callOf(added.signedIn?.session);
    const person = { token: '', session: again.session, call };
    for (let n = 1; n < 20; n += 1) await add(person, device().create(await start(person)));
    await expect(start(person)).rejects.toMatchObject({ code: 'conflict' });
    expect((await peer().call(Rpc.listPasskeys, {}, call)).passkeys).toHaveLength(20);
  });

  it('is renamed and removed by its person only; the last factor takes the recovery codes with it', async () => {
    const { email, authenticator, added } = await enrolled();
    const call = accounts.callOf(added.signedIn?.session);
    const stranger = await accounts.signUp(newEmail());
    const id = added.passkey?.id ?? '';
    for (const attempt of [
      peer().call(Rpc.renamePasskey, { id, name: 'Mine' }, stranger.call),
      peer().call(Rpc.removePasskey, { id }, stranger.call),
    ])
      await expect(attempt).rejects.toMatchObject({ code: 'not_found' });
    expect((await peer().call(Rpc.renamePasskey, { id, name: 'Phone' }, call)).passkey?.name).toBe('Phone');
    const { signedIn: elsewhere } = await logIn(authenticator.get(await logInOptions()));
    await peer().call(Rpc.removePasskey, { id }, call);
    await expect(authenticate(elsewhere?.token ?? '')).rejects.toMatchObject(UNAUTHORIZED);
    await expect(logIn(authenticator.get(await logInOptions()))).rejects.toMatchObject(UNAUTHORIZED);
    expect((await accounts.logIn(email)).session).toMatchObject({
      state: 'full',
      user: { hasFactor: false, recoveryCodesLeft: 0 },
    });
    expect((await accounts.mailsTo(email)).map(({ kind }) => kind)).toContain('factor_off');
  });

  it('stays the second factor when the authenticator app is removed', async () => {
    const { authenticator, added, email } = await enrolled();
    const call = accounts.callOf(added.signedIn?.session);
    const update = (twoFactor: TwoFactorChange) =>
      peer().call(Rpc.updateProfile, { name: undefined, email: undefined, twoFactor, password: PASSWORD }, call);
    await expect(update('off')).rejects.toMatchObject({ code: 'conflict' });
    const { secret = '' } = await update('start');
    const code = { code: codeOf(secret), recoveryCode: '', client: CLIENT, passkey: undefined, site: undefined };
    await peer().call(Rpc.verifyCode, code, call);
    expect((await update('off')).user).toMatchObject({
      hasFactor: true,
      hasApp: false,
      passkeys: 1,
      recoveryCodesLeft: 10,
    });
    expect((await accounts.mailsTo(email)).at(-1)?.kind).toBe('app_removed');
    const half = await accounts.logIn(email);
    await show(half, authenticator.get(await checkOptions(half)));
  });
});
