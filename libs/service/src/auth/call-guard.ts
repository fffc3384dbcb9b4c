import { FLEET_NAMES, mayCall, mayCallOnOwnBehalf, scopeIncludes } from '@tidemark/contracts';
import type { VerifiedCall } from './call-context.ts';
import { contextOfClaims } from './caller-claims.ts';
import { type Claims, isSignedBy, parseCredential } from './credential.ts';
import { LIFETIME_SECONDS } from './fleet-access.ts';
import type { NamedCaller } from './named-callers.ts';
import type { SharedKeys } from './shared-keys.ts';

/** Maximum difference between the clocks of two machines, seconds. */
export const CLOCK_SKEW_SECONDS = 30;

/** Why a call was refused. `caller`: the name in the credential, present once its signature is verified. */
export class CallRefused extends Error {
  readonly code: 'unauthenticated' | 'forbidden';
  readonly caller: string | undefined;

  constructor(code: CallRefused['code'], message: string, caller?: string) {
    super(message);
    this.name = 'CallRefused';
    this.code = code;
    this.caller = caller;
  }
}

/** A received call, as far as its headers describe it. */
export interface ReceivedCall {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** Values of the header `authorization`. */
  readonly authorization: readonly unknown[];
  /** The DNS names in the client's certificate; undefined without TLS. */
  readonly certificateNames?: readonly string[] | undefined;
}

export interface GuardSettings {
  readonly fleetKeys: SharedKeys;
  readonly named: ReadonlyMap<string, NamedCaller>;
  /** Current time, ms since 1970. */
  readonly now: () => number;
}

/** Verifies the credential of a call and returns its context. @throws CallRefused */
export type CallGuard = (call: ReceivedCall) => VerifiedCall;

/** Makes the check that every received call passes. */
export function makeCallGuard({ fleetKeys, named, now }: GuardSettings): CallGuard {
  return ({ path, authorization, certificateNames }) => {
    const credential = parseCredential(tokenIn(authorization));
    if (credential === undefined)
      throw new CallRefused('unauthenticated', 'the credential is malformed: expected a JSON Web Token with HS256');
    const { claims } = credential;
    const external = named.get(claims.iss);
    const keys = external?.keys ?? (FLEET_NAMES.has(claims.iss) ? fleetKeys : []);
    if (!isSignedBy(credential, keys))
      throw new CallRefused('unauthenticated', 'the credential is not signed with a key of its issuer');
    const problem = problemOf(claims, path, now() / 1000) ?? certificateProblem(claims, certificateNames);
    if (problem !== undefined) throw new CallRefused('unauthenticated', problem, claims.iss);
    const limit = limitOf(claims, path.slice(1), external);
    if (limit !== undefined) throw new CallRefused('forbidden', limit, claims.iss);
    return { ...contextOfClaims(claims.caller, claims.iss), requestId: claims.rid ?? '', service: claims.iss };
  };
}

function tokenIn(authorization: readonly unknown[]): string {
  const [value, ...more] = authorization;
  if (value === undefined) throw new CallRefused('unauthenticated', 'the call has no credential');
  if (typeof value !== 'string' || more.length > 0 || !value.startsWith('Bearer '))
    throw new CallRefused('unauthenticated', 'expected one header authorization: Bearer <credential>');
  return value.slice('Bearer '.length);
}

/** Returns why a signed credential is not valid for this RPC at this time. */
function problemOf({ aud, iat, exp }: Claims, path: string, nowSeconds: number): string | undefined {
  if (!(typeof aud === 'string' ? aud === path : aud.includes(path))) return 'the credential is for another RPC';
  if (exp - iat > LIFETIME_SECONDS) return `the credential is valid for more than ${LIFETIME_SECONDS} s`;
  if (nowSeconds > exp + CLOCK_SKEW_SECONDS) return 'the credential has expired';
  if (nowSeconds < iat - CLOCK_SKEW_SECONDS)
    return `the credential was issued in the future; clocks may differ by ${CLOCK_SKEW_SECONDS} s`;
  return undefined;
}

/** Returns why the client's certificate does not confirm the issuer; without TLS there is none. */
const certificateProblem = ({ iss }: Claims, names: ReceivedCall['certificateNames']): string | undefined =>
  names === undefined || names.includes(iss) ? undefined : `the client certificate does not contain the name ${iss}`;

/** Returns why the issuer may not make this call. `external`: the settings of an issuer that is no service. */
function limitOf(claims: Claims, rpc: string, external: NamedCaller | undefined): string | undefined {
  const isAllowed = external === undefined ? mayCall(claims.iss, rpc) : external.rpcs.has(rpc);
  if (!isAllowed && rpc.startsWith('tidemark.')) return `${claims.iss} may not call ${rpc}`;
  return external === undefined ? fleetProblem(claims, rpc) : programProblem(external, claims);
}

/** Returns which limit of a service the claims exceed. */
function fleetProblem({ iss, caller }: Claims, rpc: string): string | undefined {
  if (caller?.kind === 'program') return `${iss} is no program of GRPC_CALLERS`;
  if (caller?.kind === 'service' && !mayCallOnOwnBehalf(iss, rpc))
    return `${iss} may not call ${rpc} on its own behalf`;
  return undefined;
}

/** Returns which limit of a named caller the claims exceed. */
function programProblem({ scope, workspaces }: NamedCaller, { iss, caller }: Claims): string | undefined {
  if (caller !== undefined && caller.kind !== 'program') return `${iss} may not act as a ${caller.kind}`;
  if (caller !== undefined && !scopeIncludes(scope, caller.scope))
    return `${iss} may not call with the scope ${caller.scope}`;
  if (workspaces.kind === 'only' && (caller === undefined || !workspaces.ids.has(caller.ws)))
    return `${iss} may not act for this workspace`;
  return undefined;
}
