import type { Sealer } from '@tidemark/sealing';
import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import { type Params, type RowOfQuery, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from '../store/tables.ts';

/** Previous secrets kept at most. One header carries a signature of each, and of the current one. */
const MAX_PREVIOUS = 3;

/** A receiver's signing secret, and until when the previous one verifies. */
export interface Secrets {
  /** Empty: its sealing key is lost, and it must be rotated. */
  readonly secret: string;
  readonly previousUntil: Date | undefined;
}

interface SecretKey {
  readonly workspaceId: string;
  readonly receiverId: string;
}

const selectSecret = ({ workspaceId, receiverId }: Params<SecretKey>) =>
  tables
    .selectFrom('receivers')
    .select(['secret', 'previous_secrets', 'previous_untils'])
    .where('id', '=', receiverId)
    .where('workspace_id', '=', workspaceId)
    .where('secret', 'is not', null)
    .$narrowType<{ secret: Buffer }>();
type SecretRow = RowOfQuery<ReturnType<typeof selectSecret>>;

const OPEN = schema.prepare('open-secret', selectSecret);
const HOLD = schema.prepare('hold-secret', (key: Params<SecretKey>) => selectSecret(key).forUpdate());
const ROTATE = schema.prepare(
  'rotate-secret',
  ({
    workspaceId,
    receiverId,
    secret,
    previous,
    untils,
  }: Params<
    SecretKey & { readonly secret: Buffer; readonly previous: readonly Buffer[]; readonly untils: readonly Date[] }
  >) =>
    tables
      .updateTable('receivers')
      .set({
        secret,
        previous_secrets: sql`${previous}::bytea[]`,
        previous_untils: sql`${untils}::timestamptz[]`,
      })
      .where('id', '=', receiverId)
      .where('workspace_id', '=', workspaceId),
);

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
    const row = await OPEN.row(this.#pool, { workspaceId, receiverId });
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
      const row = await HOLD.row(client, { workspaceId, receiverId });
      const isKnown = row !== undefined && this.#opened(row.secret, receiverId) !== undefined;
      const previous = [
        ...(isKnown ? [{ sealed: row.secret, until: next.previousUntil }] : []),
        ...(row === undefined ? [] : this.#verifying(row, receiverId, next.now)),
      ].slice(0, MAX_PREVIOUS);
      await ROTATE.change(client, {
        workspaceId,
        receiverId,
        secret: this.#sealer.seal(next.secret, receiverId),
        previous: previous.map(({ sealed }) => sealed),
        untils: previous.map(({ until }) => until),
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
