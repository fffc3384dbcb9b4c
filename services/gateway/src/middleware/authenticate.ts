import { createHash } from 'node:crypto';
import type { Catalogue } from '@tidemark/catalogue';
import {
  ALL_PROJECTS,
  accessFromWire,
  highestScope,
  type ProjectAccess,
  SCOPES,
  scopeOfRole,
} from '@tidemark/contracts';
import { AccountServiceService as Accounts } from '@tidemark/contracts/identity/v1/accounts';
import { type Key, IdentityServiceService as Rpc, type Workspace } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { LRUCache } from 'lru-cache';
import { oneOf } from '../responses/one-of.ts';
import { AuthFailures } from './auth-failures.ts';
import type { Authenticated } from './authenticated.ts';
import { SubAccounts } from './sub-accounts.ts';
import { suspensionOf } from './suspension.ts';

/** Cache lifetime of an authentication, ms. A revoked key must be refused within five seconds. */
const CACHE_MS = 3_000;
const CACHE_MAX = 10_000;
/** Keys and sessions that were valid within this time are not refused with the other requests of their address, ms. */
const KNOWN_MS = 3_600_000;
const DEADLINE_MS = 3_000;
/** Requests per minute of plans that are not in the catalogue. */
const FALLBACK_RPM = 60;

/** What a request authenticates with. A key counts if both are sent. */
export interface Presented {
  readonly authorization: string | undefined;
  /** Token in the session cookie; empty: none. */
  readonly sessionToken: string;
}

/**
 * Authenticates API keys and sessions through identity and caches each result for `CACHE_MS`. Rejects requests while identity is
 * unavailable.
 */
export class Authenticator {
  readonly #identity: Peer;
  readonly #plans: Catalogue['plans'];
  readonly #failures: AuthFailures;
  /** Sub-accounts that callers act in. */
  readonly subAccounts: SubAccounts;
  readonly #cached = new LRUCache<string, { result: Promise<Authenticated>; untilMs: number }>({ max: CACHE_MAX });
  /** Hashes of keys and tokens that were valid, and until when they count as known. */
  readonly #known = new LRUCache<string, number>({ max: CACHE_MAX });

  constructor(identity: Peer, plans: Catalogue['plans'], failures = new AuthFailures()) {
    this.#identity = identity;
    this.#plans = plans;
    this.#failures = failures;
    this.subAccounts = new SubAccounts(identity);
  }

  /**
   * `address`: the group of client addresses whose failures are limited.
   * @throws AppError unauthorized, unavailable, rate_limited
   */
  async authenticate(presented: Presented, requestId: string, address = ''): Promise<Authenticated> {
    const credential = this.#credentialOf(presented, address);
    // Cache keys are hashes, so that a memory dump contains no secrets.
    const name = createHash('sha256').update(credential.kind).update(credential.secret).digest('base64');
    const cached = this.#cached.get(name);
    if (cached !== undefined && cached.untilMs > Date.now()) return cached.result;
    const isKnown = (this.#known.get(name) ?? 0) > Date.now();
    const takeBack = isKnown ? undefined : this.#failures.count(address);
    const result = this.#load(credential, requestId);
    this.#cached.set(name, { result, untilMs: Date.now() + CACHE_MS });
    result.then(
      () => {
        takeBack?.();
        this.#known.set(name, Date.now() + KNOWN_MS);
      },
      (error: unknown) => {
        this.#cached.delete(name);
        if (error instanceof AppError && error.code === 'unauthorized') this.#known.delete(name);
        else takeBack?.();
      },
    );
    return result;
  }

  /** Clears the cache, after a change of keys, sessions, members or limits by this gateway. */
  clearCache(): void {
    this.#cached.clear();
    this.subAccounts.clear();
  }

  #credentialOf({ authorization, sessionToken }: Presented, address: string): Credential {
    if (authorization === undefined && sessionToken !== '') return { kind: 'session', secret: sessionToken };
    const secret = /^Bearer +([!-~]+) *$/i.exec(authorization ?? '')?.[1];
    if (secret !== undefined) return { kind: 'key', secret };
    this.#failures.count(address);
    throw new AppError(
      'unauthorized',
      authorization === undefined
        ? 'this route requires an API key or a session: send `Authorization: Bearer service_…`, or sign in'
        : 'the Authorization header must be `Bearer service_…`',
    );
  }

  #load({ kind, secret }: Credential, requestId: string): Promise<Authenticated> {
    return kind === 'key' ? this.#loadKey(secret, requestId) : this.#loadSession(secret, requestId);
  }

  async #loadKey(secret: string, requestId: string): Promise<Authenticated> {
    const { workspace, key } = await this.#identity.call(
      Rpc.authenticate,
      { secret },
      { requestId },
      { deadlineMs: DEADLINE_MS },
    );
    if (workspace === undefined || key === undefined)
      throw new AppError('internal', 'identity answered without a workspace');
    const limits = this.#limitsOf(workspace);
    return {
      caller: {
        kind: 'key',
        workspaceId: workspace.id,
        keyId: key.id,
        scope: highestScope(key.scopes),
        access: accessOfKey(key),
      },
      keyName: key.name,
      scopes: key.scopes.map((each) => oneOf(SCOPES, each)),
      ...limits,
      rpm: Math.min(limits.rpm, key.rpm ?? limits.rpm),
      isGrant: key.isGrant,
      person: undefined,
    };
  }

  async #loadSession(token: string, requestId: string): Promise<Authenticated> {
    const loadedAtMs = performance.now();
    const found = await this.#identity.call(
      Accounts.authenticateSession,
      { token },
      { requestId },
      { deadlineMs: DEADLINE_MS },
    );
    const { workspace, userId, sessionId } = found;
    const { role } = found;
    const scope = role === undefined ? 'read' : scopeOfRole(role);
    return {
      caller: workspace && {
        kind: 'person',
        workspaceId: workspace.id,
        userId,
        sessionId,
        scope,
        access: ALL_PROJECTS,
      },
      keyName: '',
      scopes: [scope],
      ...this.#limitsOf(workspace),
      isGrant: false,
      person: {
        sessionId,
        userId,
        name: found.userName,
        email: found.email,
        role,
        state: found.state === 'full' ? 'full' : 'half',
        mustVerifyEmail: found.mustVerifyEmail,
        hasFactor: found.hasFactor,
        needsFactor: workspace?.requireSecondFactor ?? false,
        codeFreshUntilMs: loadedAtMs + (found.codeFreshMs ?? 0),
      },
    };
  }

  #limitsOf(workspace: Workspace | undefined) {
    const plan = this.#plans[workspace?.plan ?? ''];
    const planRpm = plan?.rpm ?? FALLBACK_RPM;
    return {
      plan: workspace?.plan ?? '',
      features: plan?.features ?? [],
      rpm: Math.min(planRpm, workspace?.maxRpm ?? planRpm),
      workspaceRpm: planRpm,
      suspension: workspace && suspensionOf(workspace),
    };
  }
}

/** Returns the access of a key. @throws AppError internal if it has none: no access may be derived from that */
export function accessOfKey(key: Key): ProjectAccess {
  const access = accessFromWire(key.access);
  if (access === undefined) throw new AppError('internal', 'identity returned a key without access');
  return access;
}

interface Credential {
  readonly kind: 'key' | 'session';
  readonly secret: string;
}
