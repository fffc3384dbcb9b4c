import type pg from 'pg';
import type { Queryable } from './queryable.ts';

/** A person at a sign-in provider. */
export interface ExternalIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** Stores which account is bound to which person at a sign-in provider. */
export class IdentityStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the id of the bound account. */
  async find({ issuer, subject }: ExternalIdentity): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ userId: string }>({
      name: 'find-identity',
      text: 'SELECT user_id AS "userId" FROM external_identities WHERE issuer = $1 AND subject = $2',
      values: [issuer, subject],
    });
    return rows[0]?.userId;
  }

  /** Returns whether an account is bound to a person of the issuer. */
  async isBound(
    db: Queryable,
    { issuer, userId }: { readonly issuer: string; readonly userId: string },
  ): Promise<boolean> {
    const { rowCount } = await db.query({
      name: 'is-bound',
      text: 'SELECT 1 FROM external_identities WHERE user_id = $1 AND issuer = $2',
      values: [userId, issuer],
    });
    return (rowCount ?? 0) > 0;
  }

  /** Binds an account. The primary key refuses a person that is bound already, a unique index a second one of the issuer for the account. */
  async add(db: Queryable, { issuer, subject, userId }: ExternalIdentity & { readonly userId: string }): Promise<void> {
    await db.query({
      name: 'add-identity',
      text: 'INSERT INTO external_identities (issuer, subject, user_id) VALUES ($1, $2, $3)',
      values: [issuer, subject, userId],
    });
  }
}
