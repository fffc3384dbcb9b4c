import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@tidemark/errors';
import type { Redis } from 'ioredis';
import { z } from 'zod';

/** Lifetime of a code, seconds. OAuth 2.1 section 4.1.2 recommends at most ten minutes; clients exchange it at once. */
const LIFETIME_SECONDS = 60;

/** What a person granted to a client. */
const Grant = z.object({
  clientId: z.string(),
  clientName: z.string(),
  redirectUri: z.string(),
  codeChallenge: z.string(),
  scope: z.enum(['read', 'write']),
  workspaceId: z.string(),
  userId: z.string(),
  sessionId: z.string(),
});
export type Grant = z.output<typeof Grant>;

/** Stores authorization codes in Redis. A code can be exchanged once; codes that are lost with Redis require another consent. */
export class AuthorizationCodes {
  readonly #redis: Pick<Redis, 'set' | 'getdel'>;

  constructor(redis: Pick<Redis, 'set' | 'getdel'>) {
    this.#redis = redis;
  }

  /** Returns a code for a grant. @throws AppError unavailable */
  async issue(grant: Grant): Promise<string> {
    const code = randomBytes(32).toString('base64url');
    await this.#answer(this.#redis.set(nameOf(code), JSON.stringify(grant), 'EX', LIFETIME_SECONDS));
    return code;
  }

  /** Returns the grant of a code and deletes the code; undefined if there is none. @throws AppError unavailable */
  async take(code: string): Promise<Grant | undefined> {
    const text = await this.#answer(this.#redis.getdel(nameOf(code)));
    return text === null ? undefined : Grant.parse(JSON.parse(text));
  }

  async #answer<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (cause) {
      throw new AppError('unavailable', 'the authorization could not be stored; try again shortly', { cause });
    }
  }
}

/** The name contains a hash, so that a reader of Redis cannot use a code. */
const nameOf = (code: string): string => `oauth:code:${createHash('sha256').update(code).digest('base64url')}`;
