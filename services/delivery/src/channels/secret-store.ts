import type { Sealer } from '@tidemark/sealing';
import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';

/** Previous secrets kept at most. One header carries a signature of each, and of the current one. */
const MAX_PREVIOUS = 3;

/** A receiver's signing secret, and until when the previous one verifies. */
export interface Secrets {
  /** Empty: its sealing key is lost, and it must be rotated. */
  readonly secret: string;
  readonly previousUntil: Date | undefined;
}

interface SecretRow {
  secret: Buffer;
  previous_secrets: Buffer[];
  previous_untils: Date[];
}

/** A sealed previous secret, and until when it verifies. */
interface PreviousSecret {
  readonly sealed: Buffer;
  readonly until: Date;
}

/** Stores the secrets of receivers, each sealed under its receiver's id. */
export class SecretStore {
  readonly #pool: pg.Pool;
  readonly #sealer: Sealer;

  constructor(pool: pg.Pool, sealer: Sealer) {
    this.#pool = pool;
    this.#sealer = sealer;
  }

  /** Returns the receiver's secret; undefined where it has none. */
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
   * Replaces the secret. The replaced one verifies until `previousUntil`, as do earlier ones until their own time. A secret that can't be
   * opened is dropped. @returns until when the replaced one verifies; undefined: it does not
   */
  async rotate(
    workspaceId: string,
    receiverId: string,
    next: {
      readonly secret: string;
      readonly previousUntil: Date;
      readonly now: Date;
      /** Events written in the same transaction. */
      readonly outgoing: readonly OutgoingEvent[];
    },
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
      await writeEvents(client, next.outgoing);
      return isKnown ? next.previousUntil : undefined;
    });
  }

  /** Returns the previous secrets that still verify, newest first. */
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
      // Its sealing key is lost.
      return undefined;
    }
  }
}
