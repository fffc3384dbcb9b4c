import type { Sealer } from '@tidemark/sealing';
import type pg from 'pg';

/** What a receiver's messages are signed with, and until when the secret before it verifies. */
export interface Secrets {
  readonly secret: string;
  readonly previousUntil: Date | undefined;
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
    const { rows } = await this.#pool.query<{ secret: Buffer; until: Date | null }>({
      name: 'open-secret',
      text: `
        SELECT secret, CASE WHEN previous_until > $3 THEN previous_until END AS until FROM receivers
        WHERE id = $1 AND workspace_id = $2 AND secret IS NOT NULL`,
      values: [receiverId, workspaceId, now],
    });
    const [row] = rows;
    return row && { secret: this.#sealer.open(row.secret, receiverId), previousUntil: row.until ?? undefined };
  }

  /** Puts a new secret in the place of the one before, which goes on verifying until then. */
  async rotate(workspaceId: string, receiverId: string, next: { secret: string; previousUntil: Date }): Promise<void> {
    await this.#pool.query({
      name: 'rotate-secret',
      text: `
        UPDATE receivers SET previous_secret = secret, previous_until = $4, secret = $3 WHERE id = $1 AND workspace_id = $2`,
      values: [receiverId, workspaceId, this.#sealer.seal(next.secret, receiverId), next.previousUntil],
    });
  }
}
