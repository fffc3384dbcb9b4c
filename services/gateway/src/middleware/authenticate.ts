import { createHash } from 'node:crypto';
import type { Catalogue } from '@tidemark/catalogue';
import { type Caller, highestScope } from '@tidemark/contracts';
import { IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';

/** The authenticated caller of a request. */
export interface Authenticated {
  readonly caller: Caller;
  readonly keyName: string;
  readonly scopes: readonly string[];
  readonly plan: string;
  /** Requests per minute of the key. */
  readonly rpm: number;
  /** Requests per minute of all keys of the workspace. */
  readonly workspaceRpm: number;
}

/** Cache lifetime of an authentication, ms. A revoked key must be refused within five seconds. */
const CACHE_MS = 3_000;
const CACHE_MAX = 10_000;

/** Authenticates API keys through identity and caches each result for `CACHE_MS`. Rejects requests while identity is unavailable. */
export class Authenticator {
  readonly #identity: Peer;
  readonly #plans: Catalogue['plans'];
  readonly #cached = new Map<string, { result: Promise<Authenticated>; untilMs: number }>();

  constructor(identity: Peer, plans: Catalogue['plans']) {
    this.#identity = identity;
    this.#plans = plans;
  }

  /** @throws AppError unauthorized, unavailable */
  async authenticate(authorization: string | undefined, requestId: string): Promise<Authenticated> {
    const secret = /^Bearer +([!-~]+) *$/i.exec(authorization ?? '')?.[1];
    if (secret === undefined) {
      throw new AppError(
        'unauthorized',
        authorization === undefined
          ? 'this route requires an API key: send `Authorization: Bearer service_…`'
          : 'the Authorization header must be `Bearer service_…`',
      );
    }
    // Cache keys are hashes, so that a memory dump contains no secrets.
    const name = createHash('sha256').update(secret).digest('base64');
    const cached = this.#cached.get(name);
    if (cached !== undefined && cached.untilMs > Date.now()) return cached.result;
    if (this.#cached.size >= CACHE_MAX) this.#cached.clear();
    const result = this.#load(secret, requestId);
    this.#cached.set(name, { result, untilMs: Date.now() + CACHE_MS });
    result.catch(() => this.#cached.delete(name));
    return result;
  }

  /** Clears the cache, after a change of keys or limits by this gateway. */
  clearCache(): void {
    this.#cached.clear();
  }

  async #load(secret: string, requestId: string): Promise<Authenticated> {
    const { workspace, key } = await this.#identity.call(
      Rpc.authenticate,
      { secret },
      { requestId },
      { deadlineMs: 3_000 },
    );
    if (workspace === undefined || key === undefined)
      throw new AppError('internal', 'identity answered without a workspace');
    const planRpm = this.#plans[workspace.plan]?.rpm ?? 60;
    return {
      caller: { workspaceId: workspace.id, keyId: key.id, scope: highestScope(key.scopes), projects: key.projects },
      keyName: key.name,
      scopes: key.scopes,
      plan: workspace.plan,
      rpm: Math.min(planRpm, workspace.maxRpm ?? planRpm, key.rpm ?? planRpm),
      workspaceRpm: planRpm,
    };
  }
}
