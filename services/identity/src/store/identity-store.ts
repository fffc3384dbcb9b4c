import { changeRows, selectRow } from '@tidemark/sql';
import type pg from 'pg';
import type { Queryable } from './queryable.ts';
import { tables } from './tables.ts';

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
    const bound = await selectRow(
      this.#pool,
      tables
        .selectFrom('external_identities')
        .select('user_id')
        .where('issuer', '=', issuer)
        .where('subject', '=', subject),
    );
    return bound?.user_id;
  }

  /** Returns whether an account is bound to a person of the issuer. */
  async isBound(
    db: Queryable,
    { issuer, userId }: { readonly issuer: string; readonly userId: string },
  ): Promise<boolean> {
    const bound = await selectRow(
      db,
      tables
        .selectFrom('external_identities')
        .select('user_id')
        .where('user_id', '=', userId)
        .where('issuer', '=', issuer),
    );
    return bound !== undefined;
  }

  /** Binds an account. The primary key refuses a person that is bound already, a unique index a second one of the issuer for the account. */
  async add(db: Queryable, { issuer, subject, userId }: ExternalIdentity & { readonly userId: string }): Promise<void> {
    await changeRows(db, tables.insertInto('external_identities').values({ issuer, subject, user_id: userId }));
  }
}
