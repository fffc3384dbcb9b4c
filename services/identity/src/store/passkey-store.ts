import { changeRows, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { Queryable } from './queryable.ts';
import { tables } from './tables.ts';

/** A WebAuthn credential of a person. */
export interface PasskeyRecord {
  readonly id: string;
  readonly userId: string;
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  /** Signature counter; 0 where the authenticator has none. */
  readonly counter: number;
  /** Host name that the passkey is bound to. */
  readonly rpId: string;
  readonly name: string;
  readonly transports: readonly string[];
  /** Copied between the devices of the person. */
  readonly isSynced: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export type NewPasskey = Omit<PasskeyRecord, 'createdAt' | 'lastUsedAt'>;

const PASSKEY = [
  'id',
  'user_id as userId',
  'credential_id as credentialId',
  'public_key as publicKey',
  sql<number>`counter::float8`.as('counter'),
  'rp_id as rpId',
  'name',
  'transports',
  'is_synced as isSynced',
  'created_at as createdAt',
  'last_used_at as lastUsedAt',
] as const;

/** Stores passkeys. Their private keys are in the authenticators, so that nothing here is secret. */
export class PasskeyStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the passkeys of a person, the oldest first. */
  list(userId: string, db: Queryable = this.#pool): Promise<PasskeyRecord[]> {
    return selectRows(
      db,
      tables.selectFrom('passkeys').select(PASSKEY).where('user_id', '=', userId).orderBy('created_at').orderBy('id'),
    );
  }

  findByCredential(credentialId: Buffer): Promise<PasskeyRecord | undefined> {
    return selectRow(
      this.#pool,
      tables.selectFrom('passkeys').select(PASSKEY).where('credential_id', '=', credentialId),
    );
  }

  /** Stores a passkey. The unique index refuses a credential that is stored already. */
  async add(db: Queryable, passkey: NewPasskey): Promise<PasskeyRecord> {
    const { id, userId, credentialId, publicKey, counter, rpId, name, transports, isSynced } = passkey;
    const added = await selectRow(
      db,
      tables
        .insertInto('passkeys')
        .values({
          id,
          user_id: userId,
          credential_id: credentialId,
          public_key: publicKey,
          counter,
          rp_id: rpId,
          name,
          transports: [...transports],
          is_synced: isSynced,
        })
        .returning(PASSKEY),
    );
    if (added === undefined) throw new Error('the passkey was not stored');
    return added;
  }

  /** Records a use. @returns false if a use with a higher counter was recorded first, or the passkey was removed */
  async recordUse(id: string, counter: number): Promise<boolean> {
    const recorded = await changeRows(
      this.#pool,
      tables
        .updateTable('passkeys')
        .set({ counter, last_used_at: sql<Date>`now()` })
        .where('id', '=', id)
        .where(sql<boolean>`(counter < ${counter}::bigint OR counter = 0 AND ${counter}::bigint = 0)`),
    );
    return recorded > 0;
  }

  /** @returns undefined if the person has no such passkey */
  rename(userId: string, id: string, name: string): Promise<PasskeyRecord | undefined> {
    return selectRow(
      this.#pool,
      tables
        .updateTable('passkeys')
        .set({ name })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .returning(PASSKEY),
    );
  }

  /** @returns its name; undefined if the person has no such passkey */
  async remove(db: Queryable, userId: string, id: string): Promise<string | undefined> {
    const removed = await selectRow(
      db,
      tables.deleteFrom('passkeys').where('user_id', '=', userId).where('id', '=', id).returning('name'),
    );
    return removed?.name;
  }
}
