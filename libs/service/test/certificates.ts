import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A certificate and its private key, PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const OID = {
  ecdsaWithSha256: '06082a8648ce3d040302',
  commonName: '0603550403',
  subjectAltName: '0603551d11',
  basicConstraints: '0603551d13',
} as const;

/** Creates a certificate authority. */
export function makeAuthority(name = 'Test Authority'): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // BasicConstraints, critical: cA TRUE.
  const constraints = sequence(hex(OID.basicConstraints), hex('0101ff'), octets(sequence(hex('0101ff'))));
  return issue({ subject: name, issuer: name, publicKey, extension: constraints, signer: privateKey, key: privateKey });
}

/** Creates a certificate with these DNS names, signed by the authority. */
export function makeCertificate(
  authority: Certificate,
  names: readonly string[],
  issuer = 'Test Authority',
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const dnsNames = names.map((name) => element(0x82, Buffer.from(name)));
  const extension = sequence(hex(OID.subjectAltName), octets(sequence(...dnsNames)));
  const signer = createPrivateKey(authority.key);
  return issue({ subject: names[0] ?? '', issuer, publicKey, extension, signer, key: privateKey });
}

interface Issue {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly extension: Buffer;
  readonly signer: KeyObject;
  readonly key: KeyObject;
}

/** Encodes and signs an X.509 certificate (RFC 5280) in DER. */
function issue({ subject, issuer, publicKey, extension, signer, key }: Issue): Certificate {
  const algorithm = sequence(hex(OID.ecdsaWithSha256));
  const body = sequence(
    element(0xa0, hex('020102')),
    element(0x02, Buffer.from([1, Math.floor(Math.random() * 128), Math.floor(Math.random() * 128)])),
    algorithm,
    nameOf(issuer),
    sequence(time('200101000000Z'), time('491231235959Z')),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(extension)),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, signer)]);
  const der = sequence(body, algorithm, element(0x03, signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: String(key.export({ type: 'pkcs8', format: 'pem' })),
  };
}

const nameOf = (name: string): Buffer =>
  sequence(element(0x31, sequence(hex(OID.commonName), element(0x0c, Buffer.from(name)))));
const time = (text: string): Buffer => element(0x17, Buffer.from(text));
const octets = (content: Buffer): Buffer => element(0x04, content);
const sequence = (...parts: readonly Buffer[]): Buffer => element(0x30, Buffer.concat(parts));
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Encodes one element: tag, length, content. */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
