import type { KeyObject } from 'node:crypto';
import type { CallContext } from './call-context.ts';
import { claimsOf } from './caller-claims.ts';
import { type Claims, signCredential } from './credential.ts';
import { parseSharedKeys } from './shared-keys.ts';
import { readTlsFiles, type TlsFiles, type TlsSettings } from './tls.ts';

/** Maximum lifetime of a credential, seconds. It bounds the time in which a recorded credential can be used again. */
export const LIFETIME_SECONDS = 60;

/** What a process needs to call services: its name, the key it signs with, and its certificate. */
export interface FleetAccess {
  readonly name: string;
  readonly signingKey: KeyObject;
  readonly tls: TlsFiles | undefined;
}

/** Reads the access of a caller from its settings. `name`: a service, or the operator. @throws Error if they are invalid */
export function fleetAccess(name: string, settings: TlsSettings & { readonly FLEET_KEYS: string }): FleetAccess {
  return { name, signingKey: parseSharedKeys(settings.FLEET_KEYS)[0], tls: readTlsFiles(settings) };
}

/** Returns the credential of one call. It expires at the deadline of the call, or after `LIFETIME_SECONDS`. */
export function credentialFor(
  { name, signingKey }: FleetAccess,
  path: string,
  call: CallContext & { readonly deadlineAtMs: number },
): string {
  const nowMs = Date.now();
  const iat = Math.floor(nowMs / 1000);
  const seconds = Math.min(LIFETIME_SECONDS, Math.max(1, Math.ceil((call.deadlineAtMs - nowMs) / 1000)));
  const claims: Claims = { iss: name, aud: path, iat, exp: iat + seconds, deadline: call.deadlineAtMs };
  if (call.requestId !== '') claims.rid = call.requestId;
  const caller = claimsOf(call);
  if (caller !== undefined) claims.caller = caller;
  return signCredential(claims, signingKey);
}
