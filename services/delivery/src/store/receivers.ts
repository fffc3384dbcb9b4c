import type { Sealer } from '@tidemark/sealing';
import type pg from 'pg';
import type { MessageReceiver } from '../domain/new-message.ts';
import { hostOf, queueKeyOf } from '../domain/receiver-address.ts';

/** A connection, or the pool where no transaction is needed. */
export type Queryable = Pick<pg.Pool, 'query'>;

interface KnownRow {
  id: string;
  url: Buffer;
  has_secret: boolean;
}

/** A receiver that is new, has a changed address, or has no secret yet. */
interface ReceiverRow {
  readonly receiver: MessageReceiver;
  readonly queueKey: string;
  readonly secret: Buffer | null;
}

/** Stores receivers. Addresses and secrets are sealed under the receiver's id. */
export class Receivers {
  readonly #pool: pg.Pool;
  readonly #sealer: Sealer;
  readonly #newSecret: () => string;

  constructor(pool: pg.Pool, sealer: Sealer, newSecret: () => string) {
    this.#pool = pool;
    this.#sealer = sealer;
    this.#newSecret = newSecret;
  }

  /**
   * Stores addresses, and generates a secret for a project's webhook that has none. Unchanged rows are not written: they are often locked
   * by updates of their health.
   */
  async upsert(client: Queryable, receivers: readonly MessageReceiver[]): Promise<void> {
    const byId = new Map(receivers.map((receiver) => [receiver.id, receiver]));
    const { rows } = await client.query<KnownRow>({
      name: 'known-receivers',
      text: 'SELECT id, url, secret IS NOT NULL AS has_secret FROM receivers WHERE id = ANY($1)',
      values: [[...byId.keys()]],
    });
    const known = new Map(rows.map((row) => [row.id, row]));
    const changed = [...byId.values()]
      .filter((receiver) => !this.#isUnchanged(receiver, known.get(receiver.id)))
      // Rows are always locked in the order of their ids, which rules out deadlocks.
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((receiver) => ({ receiver, queueKey: queueKeyOf(receiver), secret: this.#secretFor(receiver) }));
    if (changed.length > 0) await this.#write(client, changed);
  }

  #isUnchanged(receiver: MessageReceiver, row: KnownRow | undefined): boolean {
    if (row === undefined || (receiver.kind === 'webhook' && !row.has_secret)) return false;
    try {
      return this.#sealer.open(row.url, row.id) === receiver.url;
    } catch {
      // Its sealing key is lost: seal again with the current key.
      return false;
    }
  }

  #secretFor({ id, kind, sealedSecret }: MessageReceiver): Buffer | null {
    if (kind !== 'webhook') return null;
    return sealedSecret ?? this.#sealer.seal(this.#newSecret(), id);
  }

  async #write(client: Queryable, changed: readonly ReceiverRow[]): Promise<void> {
    const of = <V>(value: (one: ReceiverRow) => V): V[] => changed.map(value);
    await client.query({
      name: 'keep-receivers',
      text: `
        INSERT INTO receivers AS r (id, workspace_id, project_id, kind, service, queue_key, host, url, secret)
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9::bytea[])
        ON CONFLICT (id) DO UPDATE SET
          service = excluded.service, queue_key = excluded.queue_key, host = excluded.host, url = excluded.url,
          secret = COALESCE(r.secret, excluded.secret),
          -- The health is that of the current address.
          failures = CASE WHEN r.queue_key = excluded.queue_key THEN r.failures ELSE 0 END,
          last_delivered_at = CASE WHEN r.queue_key = excluded.queue_key THEN r.last_delivered_at END,
          last_failed_at = CASE WHEN r.queue_key = excluded.queue_key THEN r.last_failed_at END,
          last_paused_at = CASE WHEN r.queue_key = excluded.queue_key THEN r.last_paused_at END,
          last_status = CASE WHEN r.queue_key = excluded.queue_key THEN r.last_status ELSE 0 END,
          last_error = CASE WHEN r.queue_key = excluded.queue_key THEN r.last_error ELSE '' END`,
      values: [
        of(({ receiver }) => receiver.id),
        of(({ receiver }) => receiver.workspaceId),
        of(({ receiver }) => receiver.projectId),
        of(({ receiver }) => receiver.kind),
        of(({ receiver }) => receiver.service),
        of(({ queueKey }) => queueKey),
        of(({ receiver }) => hostOf(receiver)),
        of(({ receiver }) => this.#sealer.seal(receiver.url, receiver.id)),
        of(({ secret }) => secret),
      ],
    });
  }

  /** Seals the address of a delivery, which keeps it when its project's address changes. */
  sealUrl(url: string, deliveryId: string): Buffer {
    return this.#sealer.seal(url, deliveryId);
  }

  /** Returns the stored receiver, its secret still sealed; undefined where there is none. */
  async open(id: string): Promise<MessageReceiver | undefined> {
    const { rows } = await this.#pool.query<{
      workspace_id: string;
      project_id: string;
      kind: MessageReceiver['kind'];
      service: string;
      url: Buffer;
      secret: Buffer | null;
    }>({
      name: 'open-receiver',
      text: 'SELECT workspace_id, project_id, kind, service, url, secret FROM receivers WHERE id = $1',
      values: [id],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    const { workspace_id: workspaceId, project_id: projectId, kind, service } = row;
    const sealedSecret = row.secret === null ? {} : { sealedSecret: row.secret };
    return { id, workspaceId, projectId, kind, service, url: this.#sealer.open(row.url, id), ...sealedSecret };
  }
}
