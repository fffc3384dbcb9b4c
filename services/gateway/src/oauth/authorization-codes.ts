import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@tidemark/errors';
import type { Redis } from 'ioredis';
import { z } from 'zod';

/** Lifetime of a code, seconds. OAuth 2.1 section 4.1.2 recommends at most ten minutes; clients exchange it at once. */
const LIFETIME_SECONDS = 60;
/** Time for which the use of a code is remembered, seconds. */
const REPLAY_SECONDS = 600;

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

/** The token that a code was exchanged for. */
const Issued = z.object({ workspaceId: z.string(), keyId: z.string() });
export type Issued = z.output<typeof Issued>;

/** spent: its token is not stored yet; replayed: used again before that. */
const Entry = z.union([
  z.object({ grant: Grant }),
  z.object({ issued: Issued }),
  z.object({ state: z.enum(['spent', 'replayed']) }),
]);
type Entry = z.output<typeof Entry>;

/**
 * Stores authorization codes in Redis. A code can be exchanged once; a further use revokes the token of the first one (OAuth 2.1 section
 * 4.1.3). Codes that are lost with Redis require another consent.
 */
export class AuthorizationCodes {
  readonly #redis: Pick<Redis, 'set'>;

  constructor(redis: Pick<Redis, 'set'>) {
    this.#redis = redis;
  }

  /** Returns a code for a grant. @throws AppError unavailable */
  async issue(grant: Grant): Promise<string> {
    const code = randomBytes(32).toString('base64url');
    const entry: Entry = { grant };
    await this.#orUnavailable(this.#redis.set(nameOf(code), JSON.stringify(entry), 'EX', LIFETIME_SECONDS));
    return code;
  }

  /** Spends a code. Returns its grant, or the token of an earlier use, which must be revoked; neither if it is unknown. @throws AppError unavailable */
  async take(code: string): Promise<{ readonly grant?: Grant; readonly replayed?: Issued }> {
    const entry = await this.#swap(code, { state: 'spent' });
    if (entry === undefined) return {};
    if ('grant' in entry) return { grant: entry.grant };
    await this.#swap(code, { state: 'replayed' });
    return 'issued' in entry ? { replayed: entry.issued } : {};
  }

  /** Records the token of a spent code. Returns false if the code was used again meanwhile: the token must be revoked. @throws AppError unavailable */
  async recordToken(code: string, issued: Issued): Promise<boolean> {
    const entry = await this.#swap(code, { issued });
    return entry === undefined || !('state' in entry) || entry.state === 'spent';
  }

  /** Replaces the entry of a code and returns the one before, in one step. */
  async #swap(code: string, entry: Entry): Promise<Entry | undefined> {
    const before = this.#redis.set(nameOf(code), JSON.stringify(entry), 'EX', REPLAY_SECONDS, 'XX', 'GET');
    const text = await this.#orUnavailable(before);
    return text === null ? undefined : Entry.parse(JSON.parse(text));
  }

  async #orUnavailable<T>(reply: Promise<T>): Promise<T> {
    try {
      return await reply;
    } catch (cause) {
      throw new AppError('unavailable', 'the authorization could not be stored; try again shortly', { cause });
    }
  }
}

/** The name contains a hash, so that a reader of Redis cannot use a code. */
const nameOf = (code: string): string => `oauth:code:${createHash('sha256').update(code).digest('base64url')}`;
