import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Flags of authenticator data (W3C WebAuthn Level 3, section 6.1). */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;
const AAGUID = Buffer.alloc(16);

export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id?: string };
}

export interface RequestOptions {
  readonly challenge: string;
  readonly rpId?: string;
}

export interface AuthenticatorSettings {
  /** Origin of the page that calls it. */
  readonly origin: string;
  /** The authenticator verifies its user, by PIN or biometrics. Default true. */
  readonly verifiesUser?: boolean;
  /** Counts signatures; without it the counter stays 0, as of synced passkeys. Default false. */
  readonly counts?: boolean;
}

/** An authenticator with one ES256 credential, which answers as `PublicKeyCredential.toJSON()`. */
export class SoftwareAuthenticator {
  readonly #settings: AuthenticatorSettings;
  readonly #id = randomBytes(32);
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  /** A test sets it to imitate a copy of the authenticator. */
  counter = 0;

  constructor(settings: AuthenticatorSettings) {
    this.#settings = settings;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
  }

  get id(): string {
    return this.#id.toString('base64url');
  }

  /** Answers the options of `navigator.credentials.create()`. */
  create({ challenge, rp: { id = '' } }: CreationOptions) {
    const length = Buffer.from([this.#id.length >> 8, this.#id.length & 255]);
    const credential = Buffer.concat([AAGUID, length, this.#id, this.#coseKey()]);
    const data = Buffer.concat([this.#authenticatorData(id, HAS_CREDENTIAL), credential]);
    // CBOR: {fmt: "none", attStmt: {}, authData: bytes}.
    const head = Buffer.from([0xa3, 0x63, ...text('fmt'), 0x64, ...text('none'), 0x67, ...text('attStmt'), 0xa0]);
    const bytes = Buffer.from([0x68, ...text('authData'), 0x59, data.length >> 8, data.length & 255]);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: Buffer.concat([head, bytes, data]).toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** Answers the options of `navigator.credentials.get()`. */
  get({ challenge, rpId = '' }: RequestOptions) {
    if (this.#settings.counts === true) this.counter += 1;
    const clientData = this.#clientData('webauthn.get', challenge);
    const data = this.#authenticatorData(rpId, 0);
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.#privateKey);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      },
    };
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#settings.origin, crossOrigin: false }));
  }

  #authenticatorData(rpId: string, more: number): Buffer {
    const verified = this.#settings.verifiesUser === false ? 0 : USER_VERIFIED;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([USER_PRESENT | verified | more]), counter]);
  }

  /** The public key as COSE: {kty: EC2, alg: ES256, crv: P-256, x, y}. */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32]);
    return Buffer.concat([
      head,
      Buffer.from(x, 'base64url'),
      Buffer.from([0x22, 0x58, 32]),
      Buffer.from(y, 'base64url'),
    ]);
  }
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const text = (ascii: string): readonly number[] => [...Buffer.from(ascii)];
