import { createHash } from 'node:crypto';
import type { Catalogue } from '@tidemark/catalogue';
import { highestScope } from '@tidemark/contracts';
import { IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { Authenticated } from '../request-context.ts';

/** How long an answer of identity may be used: a revoked key is refused everywhere within five seconds. */
const KEPT_MS = 3_000;
const MAX_KEPT = 10_000;

/** Says who a key stands for, asking identity at most once every few seconds a key. Where identity can't be asked, nobody gets in. */
export class Authenticator {
  readonly #identity: Peer;
  readonly #plans: Catalogue['plans'];
  readonly #kept = new Map<string, { answer: Promise<Authenticated>; untilMs: number }>();

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
          ? 'this route needs a key: send `Authorization: Bearer service_…`'
          : 'the Authorization header must read `Bearer service_…`',
      );
    }
    // The map holds no secrets: whoever reads our memory learns hashes.
    const name = createHash('sha256').update(secret).digest('base64');
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.untilMs > Date.now()) return kept.answer;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    const answer = this.#ask(secret, requestId);
    this.#kept.set(name, { answer, untilMs: Date.now() + KEPT_MS });
    answer.catch(() => this.#kept.delete(name));
    return answer;
  }

  /** Drops what is known of a workspace's keys, after a change made here. */
  forget(): void {
    this.#kept.clear();
  }

  async #ask(secret: string, requestId: string): Promise<Authenticated> {
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
    };
  }
}
