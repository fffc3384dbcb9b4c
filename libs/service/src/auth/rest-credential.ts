import { CLOCK_SKEW_SECONDS } from './call-guard.ts';
import { isSignedBy, parseCredential, signCredential } from './credential.ts';
import { LIFETIME_SECONDS } from './fleet-access.ts';
import type { SharedKeys } from './shared-keys.ts';

/** Header of a REST request with which a service of the fleet proves that it sent the request. */
export const REST_CREDENTIAL_HEADER = 'x-service-credential';
/** Audience of the credential; a gRPC path is never equal to it. */
const AUDIENCE = 'rest';

/** Returns the credential of a service for its REST requests of the next minute. */
export function restCredentialFor(service: string, keys: SharedKeys): string {
  const iat = Math.floor(Date.now() / 1_000);
  return signCredential({ iss: service, aud: AUDIENCE, iat, exp: iat + LIFETIME_SECONDS }, keys[0]);
}

/** Returns the service that sent a REST request with this credential; undefined if the credential is absent or not valid. */
export function serviceOfRestRequest(credential: string | undefined, keys: SharedKeys): string | undefined {
  const parsed = credential === undefined ? undefined : parseCredential(credential);
  if (parsed === undefined || !isSignedBy(parsed, keys)) return undefined;
  const { iss, aud, iat, exp } = parsed.claims;
  const nowSeconds = Date.now() / 1_000;
  const isCurrent =
    exp - iat <= LIFETIME_SECONDS && Math.abs(nowSeconds - iat) <= LIFETIME_SECONDS + CLOCK_SKEW_SECONDS;
  return aud === AUDIENCE && isCurrent ? iss : undefined;
}
