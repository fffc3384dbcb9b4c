import type pg from 'pg';
import type { Queryable } from './queryable.ts';

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

const COLUMNS = `id, user_id AS "userId", credential_id AS "credentialId", public_key AS "publicKey", counter::float8 AS counter, rp_id AS "rpId",
  name, transports, is_synced AS "isSynced", created_at AS "createdAt", last_used_at AS "lastUsedAt"`;

/** Stores passkeys. Their private keys are in the authenticators, so that nothing here is secret. */
export class PasskeyStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the passkeys of a person, the oldest first. */
  async list(userId: string, db: Queryable = this.#pool): Promise<PasskeyRecord[]> {
    const { rows } = await db.query<PasskeyRecord>({
      name: 'list-passkeys',
      text: `SELECT ${COLUMNS} FROM passkeys WHERE user_id = $1 ORDER BY created_at, id`,
      values: [userId],
    });
    return rows;
  }

  async findByCredential(credentialId: Buffer): Promise<PasskeyRecord | undefined> {
    const { rows } = await this.#pool.query<PasskeyRecord>({
      name: 'find-passkey',
      text: `SELECT ${COLUMNS} FROM passkeys WHERE credential_id = $1`,
      values: [credentialId],
    });
    return rows[0];
  }

  /** Stores a passkey. The unique index refuses a credential that is stored already. */
  async add(db: Queryable, passkey: NewPasskey): Promise<PasskeyRecord> {
    const { id, userId, credentialId, publicKey, counter, rpId, name, transports, isSynced } = passkey;
    const { rows } = await db.query<PasskeyRecord>({
      name: 'add-passkey',
      text: `INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, rp_id, name, transports, is_synced)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${COLUMNS}`,
      values: [id, userId, credentialId, publicKey, counter, rpId, name, transports, isSynced],
    });
    const [added] = rows;
    if (added === undefined) throw new Error('the passkey was not stored');
    return added;
  }

  /** Records a use. @returns false if a use with a higher counter was recorded first, or the passkey was removed */
  async recordUse(id: string, counter: number): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'record-passkey-use',
      text: 'UPDATE passkeys SET counter = $2, last_used_at = now() WHERE id = $1 AND (counter < $2 OR counter = 0 AND $2 = 0)',
      values: [id, counter],
    });
    return (rowCount ?? 0) > 0;
  }

  /** @returns undefined if the person has no such passkey */
  async rename(userId: string, id: string, name: string): Promise<PasskeyRecord | undefined> {
    const { rows } = await this.#pool.query<PasskeyRecord>({
      name: 'rename-passkey',
      text: `UPDATE passkeys SET name = $3 WHERE user_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
      values: [userId, id, name],
    });
    return rows[0];
  }

  /** @returns its name; undefined if the person has no such passkey */
  async remove(db: Queryable, userId: string, id: string): Promise<string | undefined> {
    const { rows } = await db.query<{ name: string }>({
      name: 'remove-passkey',
      text: 'DELETE FROM passkeys WHERE user_id = $1 AND id = $2 RETURNING name',
      values: [userId, id],
    });
    return rows[0]?.name;
  }
}
