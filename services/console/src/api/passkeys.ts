import type { PasskeyAssertion, PasskeyAttestation } from '@tidemark/sdk';
import { words } from '../words/words.ts';

const { problems } = words.account.passkeys;

/** Returns why a passkey could not be used, as a sentence. */
export function passkeyProblem(error: unknown): Error {
  if (!(error instanceof DOMException)) return error instanceof Error ? error : new Error(String(error));
  if (error.name === 'NotAllowedError') return new Error(problems.cancelled);
  if (error.name === 'InvalidStateError') return new Error(problems.known);
  if (error.name === 'SecurityError') return new Error(problems.address);
  return new Error(error.message);
}

type Options = { readonly challenge: string; readonly [key: string]: unknown };

/** Whether this browser can use passkeys on this page: they need https or localhost. */
const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function';

/** Reads options of the server in the form of the browser's own parser. */
const asRequest = (options: Options): PublicKeyCredentialRequestOptionsJSON => ({ ...options });

function asCreation(options: Options): PublicKeyCredentialCreationOptionsJSON | undefined {
  const { rp, user, pubKeyCredParams } = options;
  return isRp(rp) && isUser(user) && isParams(pubKeyCredParams)
    ? { ...options, rp, user, pubKeyCredParams }
    : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isRp = (value: unknown): value is PublicKeyCredentialRpEntity =>
  isObject(value) && typeof value['name'] === 'string';
const isUser = (value: unknown): value is PublicKeyCredentialUserEntityJSON =>
  isObject(value) && typeof value['id'] === 'string';
const isParams = (value: unknown): value is PublicKeyCredentialParameters[] => Array.isArray(value);

/** Shows a passkey for the options of the server. @throws an error whose message says why there is none */
export async function showPasskey(options: Options): Promise<PasskeyAssertion> {
  if (!hasPasskeys()) throw new Error(problems.unsupported);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asRequest(options));
  const credential = await navigator.credentials.get({ publicKey }).catch((error: unknown) => {
    throw passkeyProblem(error);
  });
  if (!(credential instanceof PublicKeyCredential)) throw new Error(problems.cancelled);
  const { id, response } = credential.toJSON();
  if (!('signature' in response)) throw new Error(problems.cancelled);
  const { clientDataJSON, authenticatorData, signature } = response;
  return { id, type: 'public-key', response: { clientDataJSON, authenticatorData, signature } };
}

/** Creates a passkey with the options of the server. @throws an error whose message says why there is none */
export async function createPasskey(options: Options): Promise<PasskeyAttestation> {
  const json = hasPasskeys() ? asCreation(options) : undefined;
  if (json === undefined) throw new Error(problems.unsupported);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json);
  const credential = await navigator.credentials.create({ publicKey }).catch((error: unknown) => {
    throw passkeyProblem(error);
  });
  if (!(credential instanceof PublicKeyCredential)) throw new Error(problems.cancelled);
  const { id, response } = credential.toJSON();
  if (!('attestationObject' in response)) throw new Error(problems.cancelled);
  const { clientDataJSON, attestationObject, transports } = response;
  return { id, type: 'public-key', response: { clientDataJSON, attestationObject, transports } };
}
