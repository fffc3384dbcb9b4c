import { changeRows, type Params, type RawBuilder, selectRow, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { Queryable } from './queryable.ts';
import { schema, tables } from './tables.ts';

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | null;
  readonly isVerified: boolean;
  readonly isDisabled: boolean;
}

/** A person with the state of the second factor. */
export interface UserView extends UserRecord {
  /** An authenticator app or a passkey. */
  readonly hasFactor: boolean;
  readonly hasApp: boolean;
  readonly passkeys: number;
  readonly hasPendingFactor: boolean;
  readonly recoveryCodesLeft: number;
}

const HAS_APP = sql<boolean>`EXISTS (SELECT FROM factors f WHERE f.user_id = u.id AND f.confirmed_at IS NOT NULL)`;
/** Whether the person `u` has a second factor. */
export const HAS_FACTOR: RawBuilder<boolean> = sql`(${HAS_APP} OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id))`;

const USERS = tables
  .selectFrom('users as u')
  .select([
    'u.id',
    'u.email',
    'u.name',
    'u.password_hash as passwordHash',
    sql<boolean>`u.email_verified_at IS NOT NULL`.as('isVerified'),
    sql<boolean>`u.disabled_at IS NOT NULL`.as('isDisabled'),
    HAS_FACTOR.as('hasFactor'),
    HAS_APP.as('hasApp'),
    sql<number>`(SELECT count(*)::int FROM passkeys p WHERE p.user_id = u.id)`.as('passkeys'),
    sql<boolean>`EXISTS (SELECT FROM factors f WHERE f.user_id = u.id AND f.confirmed_at IS NULL)`.as(
      'hasPendingFactor',
    ),
    sql<number>`(SELECT count(*)::int FROM recovery_codes r WHERE r.user_id = u.id AND r.used_at IS NULL)`.as(
      'recoveryCodesLeft',
    ),
  ]);

const FIND_BY_EMAIL = schema.prepare('find-user-by-email', ({ email }: Params<{ readonly email: string }>) =>
  USERS.where('u.email', '=', email).where('u.email_verified_at', 'is not', null),
);

const FIND = schema.prepare('find-user', ({ id }: Params<{ readonly id: string }>) => USERS.where('u.id', '=', id));

const DELETE_UNVERIFIED = schema.prepareText(
  'delete-unverified',
  {},
  ({ seconds }: Params<{ readonly seconds: number }>) => sql`
    WITH old AS (
      SELECT id FROM users WHERE email_verified_at IS NULL AND created_at < now() - make_interval(secs => ${seconds})
      LIMIT 500 FOR UPDATE SKIP LOCKED),
    empty AS (
      DELETE FROM workspaces w WHERE w.id IN (SELECT workspace_id FROM memberships WHERE user_id IN (SELECT id FROM old))
        AND NOT EXISTS (SELECT FROM memberships m WHERE m.workspace_id = w.id AND m.user_id NOT IN (SELECT id FROM old))
        AND NOT EXISTS (SELECT FROM api_keys k WHERE k.workspace_id = w.id))
    DELETE FROM users WHERE id IN (SELECT id FROM old)`,
);

/** Stores people. An address belongs to at most one verified person. */
export class UserStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the verified person with this address. */
  findByEmail(email: string, db: Queryable = this.#pool): Promise<UserView | undefined> {
    return FIND_BY_EMAIL.row(db, { email });
  }

  find(id: string, db: Queryable = this.#pool): Promise<UserView | undefined> {
    return FIND.row(db, { id });
  }

  /** Locks a person's row, so that changes of the factors follow each other. */
  async lock(db: pg.PoolClient, id: string): Promise<void> {
    await selectRow(db, tables.selectFrom('users').select('id').where('id', '=', id).forUpdate());
  }

  async create(
    db: Queryable,
    { id, email, name, passwordHash, isVerified }: Omit<UserRecord, 'isDisabled'>,
  ): Promise<void> {
    await changeRows(
      db,
      tables.insertInto('users').values({
        id,
        email,
        name,
        password_hash: passwordHash,
        email_verified_at: isVerified ? sql<Date>`now()` : null,
      }),
    );
  }

  /** Sets the address, which counts as verified. The unique index refuses an address of another verified person. */
  async setVerifiedEmail(db: Queryable, id: string, email: string): Promise<void> {
    await changeRows(
      db,
      tables
        .updateTable('users')
        .set({ email, email_verified_at: sql<Date>`coalesce(email_verified_at, now())` })
        .where('id', '=', id),
    );
  }

  /** Sets the hash of the password; null: the person can not sign in with a password. */
  async setPassword(db: Queryable, id: string, passwordHash: string | null): Promise<void> {
    await changeRows(db, tables.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', id));
  }

  async setName(id: string, name: string): Promise<void> {
    await changeRows(this.#pool, tables.updateTable('users').set({ name }).where('id', '=', id));
  }

  /** Deletes a batch of accounts that were not verified in time, with the workspaces that only they are members of. @returns their number */
  deleteUnverified(afterSeconds: number): Promise<number> {
    return DELETE_UNVERIFIED.change(this.#pool, { seconds: afterSeconds });
  }
}
