import type { AuthenticatorTransport, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { PasskeyAssertion, PasskeyAttestation, Site } from '@tidemark/contracts/identity/v1/accounts';
import { LIFETIMES } from '../domain/limits.ts';
import type { NewPasskey, PasskeyRecord } from '../store/passkey-store.ts';
import type { UserRecord } from '../store/user-store.ts';

/** EdDSA, ES256 and RS256 (COSE): what authenticators of all platforms support. */
const ALGORITHMS = [-8, -7, -257];
const TRANSPORTS: readonly AuthenticatorTransport[] = ['ble', 'hybrid', 'internal', 'nfc', 'usb'];
const TIMEOUT_MS = LIFETIMES.challenge * 1_000;

type Library = typeof import('@simplewebauthn/server');
type Device = Pick<NewPasskey, 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'isSynced'>;

/** Spends the challenge of a response. @returns false if it was not issued for this purpose, was used before or has expired */
export type SpendChallenge = (challenge: string) => Promise<boolean>;

interface Ceremony {
  readonly site: Site;
  readonly spend: SpendChallenge;
}

/**
 * Builds the options of WebAuthn ceremonies and verifies their responses (W3C WebAuthn Level 3, sections 7.1 and 7.2). Attestation is not
 * requested: any authenticator is accepted.
 */
export class WebAuthn {
  #library: Promise<Library> | undefined;

  /** Loads the library at the first use: it takes 0.2 s and 21 MB, which installations without passkeys save. */
  #load(): Promise<Library> {
    this.#library ??= import('@simplewebauthn/server');
    return this.#library;
  }

  /** Returns the options of `navigator.credentials.create()` as JSON. */
  async creationOptions(
    user: UserRecord,
    {
      rpId,
      challenge,
      known,
    }: { readonly rpId: string; readonly challenge: string; readonly known: readonly PasskeyRecord[] },
  ): Promise<string> {
    const { generateRegistrationOptions } = await this.#load();
    const options = await generateRegistrationOptions({
      rpName: 'Tidemark',
      rpID: rpId,
      challenge: bytesOf(challenge),
      timeout: TIMEOUT_MS,
      attestationType: 'none',

      userID: new TextEncoder().encode(user.id),
      userName: user.email,
      userDisplayName: user.name,
      excludeCredentials: known.map(descriptorOf),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return JSON.stringify(options);
  }

  /** Returns the options of `navigator.credentials.get()` as JSON. Without passkeys the authenticator offers those it stores. */
  async requestOptions({ rpId, challenge, known = [], mustVerifyUser }: RequestOptions): Promise<string> {
    const { generateAuthenticationOptions } = await this.#load();
    const options = await generateAuthenticationOptions({
      rpID: rpId,
      challenge: bytesOf(challenge),
      timeout: TIMEOUT_MS,
      allowCredentials: known.map(descriptorOf),
      userVerification: mustVerifyUser ? 'required' : 'preferred',
    });
    return JSON.stringify(options);
  }

  /** Verifies a new passkey. @throws Error with the reason */
  async verifyNew(attestation: PasskeyAttestation, { site, spend }: Ceremony): Promise<Device> {
    const { verifyRegistrationResponse } = await this.#load();
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: toRegistration(attestation),
      expectedChallenge: spend,
      expectedOrigin: site.origins,
      expectedRPID: site.rpId,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) throw new Error('the attestation is invalid');
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: attestation.transports.filter(isTransport),
      isSynced: credentialBackedUp,
    };
  }

  /** Verifies the use of a passkey. @returns its new signature counter. @throws Error with the reason */
  async verifyUse(
    assertion: PasskeyAssertion,
    {
      passkey,
      site,
      spend,
      mustVerifyUser,
    }: Ceremony & { readonly passkey: PasskeyRecord; readonly mustVerifyUser: boolean },
  ): Promise<number> {
    const { verifyAuthenticationResponse } = await this.#load();
    const { id, clientDataJson: clientDataJSON, authenticatorData, signature } = assertion;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: spend,
      expectedOrigin: site.origins,
      expectedRPID: passkey.rpId,
      credential: { id, publicKey: new Uint8Array(passkey.publicKey), counter: passkey.counter },
      requireUserVerification: mustVerifyUser,
    });
    if (!verified) throw new Error('the signature is invalid');
    return authenticationInfo.newCounter;
  }
}

interface RequestOptions {
  readonly rpId: string;
  readonly challenge: string;
  readonly known?: readonly PasskeyRecord[];
  /** The authenticator verifies its user by PIN or biometrics: the passkey is then two factors. */
  readonly mustVerifyUser: boolean;
}

const bytesOf = (challenge: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(challenge, 'base64url'));

const isTransport = (text: string): text is AuthenticatorTransport => TRANSPORTS.some((one) => one === text);

const descriptorOf = ({ credentialId, transports }: PasskeyRecord) => ({
  id: credentialId.toString('base64url'),
  transports: transports.filter(isTransport),
});

const toRegistration = ({
  id,
  clientDataJson: clientDataJSON,
  attestationObject,
}: PasskeyAttestation): RegistrationResponseJSON => ({
  id,
  rawId: id,
  type: 'public-key',
  clientExtensionResults: {},
  response: { clientDataJSON, attestationObject },
});
