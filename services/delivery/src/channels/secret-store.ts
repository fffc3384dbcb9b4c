import type { Sealer } from '@tidemark/sealing';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';

/** Secrets that were rotated away and still verify, at most: with the newest, what one header is signed with. */
const MAX_PREVIOUS = 3;

/** What a receiver's messages are signed with, and until when the secret before it verifies. */
export interface Secrets {
  /** Empty: it was sealed by a key that is not here, and another has to take its place. */
  readonly secret: string;
  readonly previousUntil: Date | undefined;
}

interface SecretRow {
  secret: Buffer;
  previous_secrets: Buffer[];
  previous_untils: Date[];
}

/** A secret as it is kept, and until when it verifies. */
interface PreviousSecret {
  readonly sealed: Buffer;
  readonly until: Date;
}

/** The secrets of receivers, sealed for the receiver they belong to. */
export class SecretStore {
  readonly #pool: pg.Pool;
  readonly #sealer: Sealer;

  constructor(pool: pg.Pool, sealer: Sealer) {
    this.#pool = pool;
    this.#sealer = sealer;
  }

  /** The receiver's secret, or undefined where it has none. */
  async open(workspaceId: string, receiverId: string, now: Date): Promise<Secrets | undefined> {
    const { rows } = await this.#pool.query<SecretRow>({
      name: 'open-secret',
      text: `
        SELECT secret, previous_secrets, previous_untils FROM receivers
        WHERE id = $1 AND workspace_id = $2 AND secret IS NOT NULL`,
      values: [receiverId, workspaceId],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    const [newest] = this.#verifying(row, receiverId, now);
    return { secret: this.#opened(row.secret, receiverId) ?? '', previousUntil: newest?.until };
  }

  /**
   * Puts a new secret in the place of the one before, which goes on verifying until then, beside those that still do. One that can't be
   * opened verifies nothing and is dropped. @returns until when the one before verifies; undefined: it does not
   */
  async rotate(
    workspaceId: string,
    receiverId: string,
    next: { readonly secret: string; readonly previousUntil: Date; readonly now: Date },
  ): Promise<Date | undefined> {
    return inTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<SecretRow>({
        name: 'hold-secret',
        text: `
          SELECT secret, previous_secrets, previous_untils FROM receivers
          WHERE id = $1 AND workspace_id = $2 AND secret IS NOT NULL FOR UPDATE`,
        values: [receiverId, workspaceId],
      });
      const [row] = rows;
      const isKnown = row !== undefined && this.#opened(row.secret, receiverId) !== undefined;
      const previous = [
        ...(isKnown ? [{ sealed: row.secret, until: next.previousUntil }] : []),
        ...(row === undefined ? [] : this.#verifying(row, receiverId, next.now)),
      ].slice(0, MAX_PREVIOUS);
      await client.query({
        name: 'rotate-secret',
        text: `
          UPDATE receivers SET secret = $3, previous_secrets = $4::bytea[], previous_untils = $5::timestamptz[]
          WHERE id = $1 AND workspace_id = $2`,
        values: [
          receiverId,
          workspaceId,
          this.#sealer.seal(next.secret, receiverId),
          previous.map(({ sealed }) => sealed),
          previous.map(({ until }) => until),
        ],
      });
      return isKnown ? next.previousUntil : undefined;
    });
  }

  /** Those rotated away that still verify, the newest first. */
  #verifying(row: SecretRow, receiverId: string, now: Date): readonly PreviousSecret[] {
    return row.previous_secrets.flatMap((sealed, at) => {
      const until = row.previous_untils[at];
      const isOver = until === undefined || until <= now;
      return isOver || this.#opened(sealed, receiverId) === undefined ? [] : [{ sealed, until }];
    });
  }

  #opened(sealed: Buffer, receiverId: string): string | undefined {
    try {
      return this.#sealer.open(sealed, receiverId);
    } catch {
      // Sealed by a key that is gone.
      return undefined;
    }
  }
}
