import { anyOf, changeRows, type Params, selectRow, sql } from '@tidemark/sql';
import type pg from 'pg';
import { hashToken, isToken, newToken } from '../domain/secret-token.ts';
import type { Queryable } from './queryable.ts';
import { schema, tables } from './tables.ts';

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

const LIVE = sql<boolean>`used_at IS NULL AND expires_at > now()`;
const TOKEN = ['kind', 'user_id as userId', 'workspace_id as workspaceId', 'email'] as const;
const NOW = sql<Date>`now()`;

interface CreateValues {
  readonly hash: Buffer;
  readonly kind: TokenKind;
  readonly userId: string | undefined;
  readonly workspaceId: string | undefined;
  readonly email: string;
  readonly seconds: number;
}

const CREATE = schema.prepareText(
  'create-token',
  {},
  ({ hash, kind, userId, workspaceId, email, seconds }: Params<CreateValues>) => sql`
    WITH old AS (
      DELETE FROM one_time_tokens WHERE kind = ${kind} AND kind <> 'undo'
        AND (user_id = ${userId} OR (user_id IS NULL AND ${userId}::text IS NULL AND workspace_id = ${workspaceId})))
    INSERT INTO one_time_tokens (hash, kind, user_id, workspace_id, email, expires_at)
    VALUES (${hash}, ${kind}, ${userId}, ${workspaceId}, ${email}, now() + make_interval(secs => ${seconds}))`,
);

/** Stores the one-time tokens of links and challenges, by their hash. */
export class TokenStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Creates a token and makes the earlier ones of its kind and owner invalid, except undos: a further change must not remove them. */
  async create(db: Queryable, { kind, userId, workspaceId, email, seconds }: NewOneTimeToken): Promise<string> {
    const token = newToken();
    await CREATE.change(db, { hash: hashToken(token), kind, userId, workspaceId, email, seconds });
    return token;
  }

  /** Returns a valid token without spending it. */
  async find(token: string): Promise<TokenRecord | undefined> {
    if (!isToken(token)) return undefined;
    return selectRow(
      this.#pool,
      tables.selectFrom('one_time_tokens').select(TOKEN).where('hash', '=', hashToken(token)).where(LIVE),
    );
  }

  /** Spends a token of one of these kinds. @returns undefined if it is unknown, spent or expired */
  async spend(db: Queryable, token: string, kinds: readonly TokenKind[]): Promise<TokenRecord | undefined> {
    if (!isToken(token)) return undefined;
    return selectRow(
      db,
      tables
        .updateTable('one_time_tokens')
        .set({ used_at: NOW })
        .where('hash', '=', hashToken(token))
        .where('kind', '=', anyOf(kinds))
        .where(LIVE)
        .returning(TOKEN),
    );
  }

  /** Makes all tokens of a person invalid, of these kinds. */
  async deleteOf(db: Queryable, userId: string, kinds: readonly TokenKind[]): Promise<void> {
    await changeRows(
      db,
      tables.deleteFrom('one_time_tokens').where('user_id', '=', userId).where('kind', '=', anyOf(kinds)),
    );
  }

  /** Deletes expired tokens and attempt counts, a batch each. @returns their number */
  async deleteExpired(): Promise<number> {
    const expired = await changeRows(
      this.#pool,
      tables
        .deleteFrom('one_time_tokens')
        .where('hash', 'in', ({ selectFrom }) =>
          selectFrom('one_time_tokens').select('hash').where('expires_at', '<', NOW).limit(500),
        ),
    );
    const counts = await changeRows(
      this.#pool,
      tables
        .deleteFrom('login_failures')
        .where('subject', 'in', ({ selectFrom }) =>
          selectFrom('login_failures').select('subject').where('ends_at', '<', NOW).limit(500),
        ),
    );
    return expired + counts;
  }
}
