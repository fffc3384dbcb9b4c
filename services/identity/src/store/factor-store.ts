import { newId } from '@tidemark/contracts';
import type { Sealer } from '@tidemark/sealing';
import type pg from 'pg';
import type { Queryable } from './queryable.ts';

export interface FactorRecord {
  readonly id: string;
  readonly secret: string;
  readonly isConfirmed: boolean;
}

/** Stores authenticator apps (kind `totp`) and recovery codes. Secrets are sealed under the factor's id. */
export class FactorStore {
  readonly #pool: pg.Pool;
  readonly #sealer: Sealer;

  constructor(pool: pg.Pool, sealer: Sealer) {
    this.#pool = pool;
    this.#sealer = sealer;
  }

  /** Returns the TOTP factors of a person, the confirmed one first: at most one of each state. */
  async list(userId: string): Promise<FactorRecord[]> {
    const { rows } = await this.#pool.query<{ id: string; secret: Buffer; isConfirmed: boolean }>({
      name: 'list-factors',
      text: `SELECT id, secret, confirmed_at IS NOT NULL AS "isConfirmed" FROM factors
        WHERE user_id = $1 AND kind = 'totp' ORDER BY confirmed_at NULLS LAST, id DESC`,
      values: [userId],
    });
    return rows.map((row) => ({ ...row, secret: this.#sealer.open(row.secret, row.id) }));
  }

  /** Stores a factor that a code must confirm, in place of an earlier one in this state. */
  async start(userId: string, secret: string): Promise<void> {
    const id = newId('fac');
    await this.#pool.query({
      name: 'start-factor',
      text: `WITH old AS (DELETE FROM factors WHERE user_id = $2 AND kind = 'totp' AND confirmed_at IS NULL)
        INSERT INTO factors (id, user_id, kind, secret) VALUES ($1, $2, 'totp', $3)`,
      values: [id, userId, this.#sealer.seal(secret, id)],
    });
  }

  /** Spends a time step: a code is accepted once, and no earlier one after it. @returns false if the step was spent */
  async spendStep(db: Queryable, id: string, step: number): Promise<boolean> {
    const { rowCount } = await db.query({
      name: 'spend-step',
      text: 'UPDATE factors SET last_step = $2 WHERE id = $1 AND last_step < $2',
      values: [id, step],
    });
    return (rowCount ?? 0) > 0;
  }

  /** Confirms a factor, which replaces the person's other TOTP factors and recovery codes. */
  async confirm(db: Queryable, userId: string, id: string): Promise<void> {
    await db.query(`DELETE FROM factors WHERE user_id = $1 AND kind = 'totp' AND id <> $2`, [userId, id]);
    await db.query('UPDATE factors SET confirmed_at = coalesce(confirmed_at, now()) WHERE id = $1', [id]);
  }

  async deleteApps(db: Queryable, userId: string): Promise<void> {
    await db.query('DELETE FROM factors WHERE user_id = $1', [userId]);
  }

  /** Deletes the apps, the passkeys and the recovery codes of a person. */
  async deleteAll(db: Queryable, userId: string): Promise<void> {
    await this.deleteApps(db, userId);
    await db.query('DELETE FROM passkeys WHERE user_id = $1', [userId]);
    await db.query('DELETE FROM recovery_codes WHERE user_id = $1', [userId]);
  }

  async replaceRecoveryCodes(db: Queryable, userId: string, hashes: readonly Buffer[]): Promise<void> {
    await db.query('DELETE FROM recovery_codes WHERE user_id = $1', [userId]);
    await db.query('INSERT INTO recovery_codes (user_id, hash) SELECT $1, unnest($2::bytea[])', [userId, hashes]);
  }

  /** Spends a recovery code. @returns false if it is unknown or spent */
  async spendRecoveryCode(db: Queryable, userId: string, hash: Buffer): Promise<boolean> {
    const { rowCount } = await db.query({
      name: 'spend-recovery-code',
      text: 'UPDATE recovery_codes SET used_at = now() WHERE user_id = $1 AND hash = $2 AND used_at IS NULL',
      values: [userId, hash],
    });
    return (rowCount ?? 0) > 0;
  }
}
