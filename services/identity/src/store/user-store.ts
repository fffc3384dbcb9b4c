import type pg from 'pg';
import type { Queryable } from './queryable.ts';

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

const COLUMNS = `u.id, u.email, u.name, u.password_hash AS "passwordHash", u.email_verified_at IS NOT NULL AS "isVerified",
  u.disabled_at IS NOT NULL AS "isDisabled"`;
const HAS_APP = 'EXISTS (SELECT FROM factors f WHERE f.user_id = u.id AND f.confirmed_at IS NOT NULL)';
/** Whether the person `u` has a second factor. */
export const HAS_FACTOR = `(${HAS_APP} OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id))`;
const FACTORS = `
  ${HAS_FACTOR} AS "hasFactor", ${HAS_APP} AS "hasApp",
  (SELECT count(*)::int FROM passkeys p WHERE p.user_id = u.id) AS passkeys,
  EXISTS (SELECT FROM factors f WHERE f.user_id = u.id AND f.confirmed_at IS NULL) AS "hasPendingFactor",
  (SELECT count(*)::int FROM recovery_codes r WHERE r.user_id = u.id AND r.used_at IS NULL) AS "recoveryCodesLeft"`;

/** Stores people. An address belongs to at most one verified person. */
export class UserStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the verified person with this address. */
  async findByEmail(email: string, db: Queryable = this.#pool): Promise<UserView | undefined> {
    const { rows } = await db.query<UserView>({
      name: 'find-user-by-email',
      text: `SELECT ${COLUMNS}, ${FACTORS} FROM users u WHERE u.email = $1 AND u.email_verified_at IS NOT NULL`,
      values: [email],
    });
    return rows[0];
  }

  async find(id: string, db: Queryable = this.#pool): Promise<UserView | undefined> {
    const { rows } = await db.query<UserView>({
      name: 'find-user',
      text: `SELECT ${COLUMNS}, ${FACTORS} FROM users u WHERE u.id = $1`,
      values: [id],
    });
    return rows[0];
  }

  /** Locks a person's row, so that changes of the factors follow each other. */
  async lock(db: pg.PoolClient, id: string): Promise<void> {
    await db.query({ name: 'lock-user', text: 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', values: [id] });
  }

  async create(
    db: Queryable,
    { id, email, name, passwordHash, isVerified }: Omit<UserRecord, 'isDisabled'>,
  ): Promise<void> {
    await db.query({
      name: 'create-user',
      text: `INSERT INTO users (id, email, name, password_hash, email_verified_at)
        VALUES ($1, $2, $3, $4, CASE WHEN $5::boolean THEN now() END)`,
      values: [id, email, name, passwordHash, isVerified],
    });
  }

  /** Sets the address, which counts as verified. The unique index refuses an address of another verified person. */
  async setVerifiedEmail(db: Queryable, id: string, email: string): Promise<void> {
    await db.query({
      name: 'set-verified-email',
      text: 'UPDATE users SET email = $2, email_verified_at = coalesce(email_verified_at, now()) WHERE id = $1',
      values: [id, email],
    });
  }

  async setPassword(db: Queryable, id: string, passwordHash: string): Promise<void> {
    await db.query({
      name: 'set-password',
      text: 'UPDATE users SET password_hash = $2 WHERE id = $1',
      values: [id, passwordHash],
    });
  }

  async setName(id: string, name: string): Promise<void> {
    await this.#pool.query({ name: 'set-name', text: 'UPDATE users SET name = $2 WHERE id = $1', values: [id, name] });
  }

  /** Deletes a batch of accounts that were not verified in time, with the workspaces that only they are members of. @returns their number */
  async deleteUnverified(afterSeconds: number): Promise<number> {
    const { rowCount } = await this.#pool.query(
      `WITH old AS (
         SELECT id FROM users WHERE email_verified_at IS NULL AND created_at < now() - make_interval(secs => $1) LIMIT 500 FOR UPDATE SKIP LOCKED),
       empty AS (
         DELETE FROM workspaces w WHERE w.id IN (SELECT workspace_id FROM memberships WHERE user_id IN (SELECT id FROM old))
           AND NOT EXISTS (SELECT FROM memberships m WHERE m.workspace_id = w.id AND m.user_id NOT IN (SELECT id FROM old))
           AND NOT EXISTS (SELECT FROM api_keys k WHERE k.workspace_id = w.id))
       DELETE FROM users WHERE id IN (SELECT id FROM old)`,
      [afterSeconds],
    );
    return rowCount ?? 0;
  }
}
