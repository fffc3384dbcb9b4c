import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { SCOPES } from '@tidemark/contracts';
import { z } from 'zod';

/** Maximum length of a credential. A caller that is restricted to 250 projects needs about 12,000 characters. */
const MAX_LENGTH = 16_384;

const Id = z.string().min(1);
/** `all`, or the ids of the projects. There is no default: a credential without access is refused. */
const Access = z.union([z.literal('all'), z.array(Id)]);

/**
 * The caller a call acts for. `ws`: the workspace; `key`: the API key; `usr`, `ses`: the signed-in person and their session; `par`: the
 * workspace of the key or person, where `ws` is its sub-account. A service and a program are named by the issuer.
 */
const CallerClaims = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('key'),
    ws: Id,
    key: Id,
    scope: z.enum(SCOPES),
    access: Access,
    par: Id.optional(),
  }),
  z.object({ kind: z.literal('person'), ws: Id, usr: Id, ses: Id, scope: z.enum(SCOPES), par: Id.optional() }),
  z.object({ kind: z.literal('account'), usr: Id, ses: Id }),
  z.object({ kind: z.literal('service'), ws: Id, access: Access }),
  z.object({ kind: z.literal('program'), ws: Id, scope: z.enum(SCOPES), access: Access }),
]);
export type CallerClaims = z.output<typeof CallerClaims>;

/** Claims of a credential. Times are in seconds since 1970, except `deadline`. */
const Claims = z.object({
  /** The calling service, or the name of a program outside the fleet. */
  iss: z.string(),
  /** The RPCs the credential is for, as `/package.Service/Method`. */
  aud: z.union([z.string(), z.array(z.string())]),
  iat: z.number(),
  exp: z.number(),
  /** When the caller stops waiting for the response, ms since 1970. */
  deadline: z.number().optional(),
  /** Id of the request that caused the call. */
  rid: z.string().optional(),
  /** Absent: the call acts for no workspace and no person. */
  caller: CallerClaims.optional(),
});
export type Claims = z.output<typeof Claims>;

/** A parsed credential. Its claims are not verified. */
export interface Credential {
  readonly claims: Claims;
  readonly signed: string;
  readonly signature: Buffer;
}

const HEADER = encode({ alg: 'HS256', typ: 'JWT' });

/** Returns a credential: a JSON Web Token (RFC 7519) signed with HMAC-SHA256. */
export function signCredential(claims: Claims, key: KeyObject): string {
  const signed = `${HEADER}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

/** Parses a credential. @returns undefined if it is no JSON Web Token with the algorithm HS256 and the required claims */
export function parseCredential(token: string): Credential | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  const [header = '', payload = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || (header !== HEADER && !isAccepted(decode(header)))) return undefined;
  const claims = Claims.safeParse(decode(payload));
  if (!claims.success) return undefined;
  return {
    claims: claims.data,
    signed: token.slice(0, header.length + 1 + payload.length),
    signature: Buffer.from(signature, 'base64url'),
  };
}

/** Returns whether one of the keys signed the credential. */
export function isSignedBy({ signed, signature }: Credential, keys: readonly KeyObject[]): boolean {
  return keys.some((key) => {
    const expected = createHmac('sha256', key).update(signed).digest();
    return expected.length === signature.length && timingSafeEqual(expected, signature);
  });
}

// `crit` lists extensions that the recipient must understand (RFC 7515, 4.1.11); none is supported.
const Header = z.object({ alg: z.literal('HS256'), crit: z.undefined().optional() });
const isAccepted = (header: unknown): boolean => Header.safeParse(header).success;

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
