import { newId } from '@tidemark/contracts';
import type { Sealer } from '@tidemark/sealing';
import { changeRows, type Params, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { Queryable } from './queryable.ts';
import { schema, tables } from './tables.ts';

export interface FactorRecord {
  readonly id: string;
  readonly secret: string;
  readonly isConfirmed: boolean;
}

interface NewFactor {
  readonly id: string;
  readonly userId: string;
  readonly secret: Buffer;
}

const START = schema.prepareText(
  'start-factor',
  {},
  ({ id, userId, secret }: Params<NewFactor>) => sql`
    WITH old AS (DELETE FROM factors WHERE user_id = ${userId} AND kind = 'totp' AND confirmed_at IS NULL)
    INSERT INTO factors (id, user_id, kind, secret) VALUES (${id}, ${userId}, 'totp', ${secret})`,
);

const NOW = sql<Date>`now()`;

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
    const rows = await selectRows(
      this.#pool,
      tables
        .selectFrom('factors')
        .select(['id', 'secret', sql<boolean>`confirmed_at IS NOT NULL`.as('isConfirmed')])
        .where('user_id', '=', userId)
        .where('kind', '=', 'totp')
        .orderBy('confirmed_at', (order) => order.asc().nullsLast())
        .orderBy('id', 'desc'),
    );
    return rows.map((row) => ({ ...row, secret: this.#sealer.open(row.secret, row.id) }));
  }

  /** Stores a factor that a code must confirm, in place of an earlier one in this state. */
  async start(userId: string, secret: string): Promise<void> {
    const id = newId('fac');
    await START.change(this.#pool, { id, userId, secret: this.#sealer.seal(secret, id) });
  }

  /** Spends a time step: a code is accepted once, and no earlier one after it. @returns false if the step was spent */
  async spendStep(db: Queryable, id: string, step: number): Promise<boolean> {
    const spent = await changeRows(
      db,
      tables.updateTable('factors').set({ last_step: step }).where('id', '=', id).where('last_step', '<', step),
    );
    return spent > 0;
  }

  /** Confirms a factor, which replaces the person's other TOTP factors and recovery codes. */
  async confirm(db: Queryable, userId: string, id: string): Promise<void> {
    await changeRows(
      db,
      tables.deleteFrom('factors').where('user_id', '=', userId).where('kind', '=', 'totp').where('id', '<>', id),
    );
    await changeRows(
      db,
      tables
        .updateTable('factors')
        .set({ confirmed_at: sql<Date>`coalesce(confirmed_at, now())` })
        .where('id', '=', id),
    );
  }

  async deleteApps(db: Queryable, userId: string): Promise<void> {
    await changeRows(db, tables.deleteFrom('factors').where('user_id', '=', userId));
  }

  /** Deletes the apps, the passkeys and the recovery codes of a person. */
  async deleteAll(db: Queryable, userId: string): Promise<void> {
    await this.deleteApps(db, userId);
    await changeRows(db, tables.deleteFrom('passkeys').where('user_id', '=', userId));
    await changeRows(db, tables.deleteFrom('recovery_codes').where('user_id', '=', userId));
  }

  async replaceRecoveryCodes(db: Queryable, userId: string, hashes: readonly Buffer[]): Promise<void> {
    await changeRows(db, tables.deleteFrom('recovery_codes').where('user_id', '=', userId));
    await changeRows(db, tables.insertInto('recovery_codes').values(hashes.map((hash) => ({ user_id: userId, hash }))));
  }

  /** Spends a recovery code. @returns false if it is unknown or spent */
  async spendRecoveryCode(db: Queryable, userId: string, hash: Buffer): Promise<boolean> {
    const spent = await changeRows(
      db,
      tables
        .updateTable('recovery_codes')
        .set({ used_at: NOW })
        .where('user_id', '=', userId)
        .where('hash', '=', hash)
        .where('used_at', 'is', null),
    );
    return spent > 0;
  }
}
