// Sign-in and second factor by a passkey, and new passkeys (W3C WebAuthn Level 3).
import type { PasskeyAssertion, PasskeyAttestation } from '@tidemark/sdk';
import { call, isRefused } from './call.ts';
import { openNext } from './next-page.ts';
import { find, form, introduce, page, required } from './page.ts';
import { run, showProblem, Unusable } from './run-action.ts';

const UNSUPPORTED =
  'This browser does not support passkeys on this page: they need a current browser, and https or localhost.';
const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function';

type Options = { readonly challenge: string; readonly [key: string]: unknown };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isRp = (value: unknown): value is PublicKeyCredentialRpEntity =>
  isObject(value) && typeof value['name'] === 'string';
const isUser = (value: unknown): value is PublicKeyCredentialUserEntityJSON =>
  isObject(value) && typeof value['id'] === 'string';
const isParams = (value: unknown): value is PublicKeyCredentialParameters[] => Array.isArray(value);

/** Reads the options of the server in the form of the browser's own parser. @throws Unusable */
function asCreation(options: Options): PublicKeyCredentialCreationOptionsJSON {
  const { rp, user, pubKeyCredParams } = options;
  if (!isRp(rp) || !isUser(user) || !isParams(pubKeyCredParams)) throw new Unusable(UNSUPPORTED);
  return { ...options, rp, user, pubKeyCredParams };
}

/** Shows a passkey for a challenge of the server. @throws DOMException, Refused, Unusable */
async function showPasskey(
  route: 'POST /auth/passkeys/login/options' | 'POST /auth/2fa/options',
): Promise<PasskeyAssertion> {
  if (!hasPasskeys()) throw new Unusable(UNSUPPORTED);
  const { options } = await call(route, { body: {} });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ ...options });
  const credential = await navigator.credentials.get({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Unusable(UNSUPPORTED);
  const { id, response } = credential.toJSON();
  if (!('signature' in response)) throw new Unusable(UNSUPPORTED);
  const { clientDataJSON, authenticatorData, signature } = response;
  return { id, type: 'public-key', response: { clientDataJSON, authenticatorData, signature } };
}

/** Creates a passkey in an authenticator and adds it to the account. @throws DOMException, Refused, Unusable */
export async function createPasskey(name: string | undefined, password: string | undefined) {
  if (!hasPasskeys()) throw new Unusable(UNSUPPORTED);
  const { options } = await call('POST /auth/passkeys/options', { body: { password } });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asCreation(options));
  const credential = await navigator.credentials.create({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Unusable(UNSUPPORTED);
  const { id, response } = credential.toJSON();
  if (!('attestationObject' in response)) throw new Unusable(UNSUPPORTED);
  const { clientDataJSON, attestationObject, transports } = response;
  const made: PasskeyAttestation = {
    id,
    type: 'public-key',
    response: { clientDataJSON, attestationObject, transports },
  };
  return call('POST /auth/passkeys', { body: { name, credential: made } });
}

async function usePasskey(): Promise<void> {
  if (page === 'login') {
    const credential = await showPasskey('POST /auth/passkeys/login/options');
    openNext(await call('POST /auth/passkeys/login', { body: { credential } }));
  } else {
    const passkey = await showPasskey('POST /auth/2fa/options');
    openNext(await call('POST /auth/2fa/verify', { body: { passkey } }));
  }
}

/** The page of the second factor offers what the person has. */
async function offerFactors(): Promise<void> {
  const { user } = await call('GET /auth/session');
  required('other', HTMLElement).hidden = user.twoFactor.passkeys === 0;
  if (user.twoFactor.app || user.twoFactor.passkeys === 0) return;
  introduce('Use your passkey, or enter one of your recovery codes.');
  const label = form?.querySelector('label');
  if (label) label.textContent = 'Recovery code';
}

/** Connects the button of the passkey, where the page has one. */
export function startPasskeys(): void {
  const button = find('passkey', HTMLButtonElement);
  button?.addEventListener('click', () => run(button, usePasskey));
  if (page === 'code')
    offerFactors().catch((error: unknown) => {
      if (isRefused(error, 'unauthorized')) location.assign('/auth/login');
      else showProblem(error);
    });
}
