import type pg from 'pg';
import { hashToken, isToken, newToken } from '../domain/secret-token.ts';
import type { Queryable } from './queryable.ts';

/**
 * verify: the address of a new account; email: a new address; undo: the address before; reset: a password; setup: the first owner; passkey_…:
 * challenges of a new passkey, of one in place of a code, and of a sign-in; oidc: the way to a provider
 * and back.
 */
export type TokenKind =
  | 'verify'
  | 'email'
  | 'undo'
  | 'reset'
  | 'setup'
  | 'passkey_new'
  | 'passkey_check'
  | 'passkey_login'
  | 'oidc';

export interface TokenRecord {
  readonly kind: TokenKind;
  readonly userId: string | null;
  readonly workspaceId: string | null;
  readonly email: string;
}

interface NewOneTimeToken {
  readonly kind: TokenKind;
  readonly userId?: string;
  readonly workspaceId?: string;
  readonly email: string;
  readonly seconds: number;
}

const LIVE = 'used_at IS NULL AND expires_at > now()';
const COLUMNS = 'kind, user_id AS "userId", workspace_id AS "workspaceId", email';

/** Stores the one-time tokens of links and challenges, by their hash. */
export class TokenStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Creates a token and makes the earlier ones of its kind and owner invalid, except undos: a further change must not remove them. */
  async create(db: Queryable, { kind, userId, workspaceId, email, seconds }: NewOneTimeToken): Promise<string> {
    const token = newToken();
    await db.query({
      name: 'create-token',
      text: `WITH old AS (
          DELETE FROM one_time_tokens WHERE kind = $2 AND kind <> 'undo' AND (user_id = $3 OR (user_id IS NULL AND $3 IS NULL AND workspace_id = $4)))
        INSERT INTO one_time_tokens (hash, kind, user_id, workspace_id, email, expires_at)
        VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      values: [hashToken(token), kind, userId ?? null, workspaceId ?? null, email, seconds],
    });
    return token;
  }

  /** Returns a valid token without spending it. */
  async find(token: string): Promise<TokenRecord | undefined> {
    if (!isToken(token)) return undefined;
    const { rows } = await this.#pool.query<TokenRecord>({
      name: 'find-token',
      text: `SELECT ${COLUMNS} FROM one_time_tokens WHERE hash = $1 AND ${LIVE}`,
      values: [hashToken(token)],
    });
    return rows[0];
  }

  /** Spends a token of one of these kinds. @returns undefined if it is unknown, spent or expired */
  async spend(db: Queryable, token: string, kinds: readonly TokenKind[]): Promise<TokenRecord | undefined> {
    if (!isToken(token)) return undefined;
    const { rows } = await db.query<TokenRecord>({
      name: 'spend-token',
      text: `UPDATE one_time_tokens SET used_at = now() WHERE hash = $1 AND kind = ANY($2) AND ${LIVE} RETURNING ${COLUMNS}`,
      values: [hashToken(token), kinds],
    });
    return rows[0];
  }

  /** Makes all tokens of a person invalid, of these kinds. */
  async deleteOf(db: Queryable, userId: string, kinds: readonly TokenKind[]): Promise<void> {
    await db.query('DELETE FROM one_time_tokens WHERE user_id = $1 AND kind = ANY($2)', [userId, kinds]);
  }

  /** Deletes expired tokens and attempt counts, a batch each. @returns their number */
  async deleteExpired(): Promise<number> {
    const { rowCount } = await this.#pool.query(`DELETE FROM one_time_tokens WHERE hash IN (
      SELECT hash FROM one_time_tokens WHERE expires_at < now() LIMIT 500)`);
    const { rowCount: counts } = await this.#pool.query(`DELETE FROM login_failures WHERE subject IN (
      SELECT subject FROM login_failures WHERE ends_at < now() LIMIT 500)`);
    return (rowCount ?? 0) + (counts ?? 0);
  }
}
