/** Sign-in and second factor by a passkey, and new passkeys (W3C WebAuthn Level 3). */
export const PASSKEY_SCRIPT = `
function requirePasskeys() {
  if (typeof PublicKeyCredential !== 'function' || PublicKeyCredential.parseRequestOptionsFromJSON === undefined)
    throw new Unusable('This browser does not support passkeys on this page: they need a current browser, and https or localhost.');
}

/** Shows a passkey for the challenge of a route. Returns what the authenticator answers, for the server. */
async function showPasskey(path) {
  requirePasskeys();
  const { options } = await call('POST', path, {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return (await navigator.credentials.get({ publicKey })).toJSON();
}

/** Creates a passkey in an authenticator and adds it to the account. */
async function createPasskey({ password, name }) {
  requirePasskeys();
  const { options } = await call('POST', '/auth/passkeys/options', { password });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = (await navigator.credentials.create({ publicKey })).toJSON();
  return call('POST', '/auth/passkeys', { name, credential });
}

const passkeyButton = byId('passkey');
passkeyButton?.addEventListener('click', () =>
  run(passkeyButton, async () => {
    if (page === 'login') signedIn(await call('POST', '/auth/passkeys/login', { credential: await showPasskey('/auth/passkeys/login/options') }));
    else signedIn(await call('POST', '/auth/2fa/verify', { passkey: await showPasskey('/auth/2fa/options') }));
  }),
);

/** The page of the second factor offers what the person has. */
async function offerFactors() {
  const { user } = await call('GET', '/auth/session');
  byId('other').hidden = user.twoFactor.passkeys === 0;
  if (user.twoFactor.app || user.twoFactor.passkeys === 0) return;
  byId('intro').textContent = 'Use your passkey, or enter one of your recovery codes.';
  form.querySelector('label').textContent = 'Recovery code';
}
if (page === 'code')
  offerFactors().catch((error) => (error.code === 'unauthorized' ? location.assign('/auth/login') : show(textOf(error), true)));
`;
