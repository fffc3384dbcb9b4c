import type { Sealer } from '@tidemark/sealing';
import { anyOf, type Database, type Params, type RowOfQuery, selectRow, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { MessageReceiver } from '../domain/new-message.ts';
import { hostOf, queueKeyOf } from '../domain/receiver-address.ts';
import { schema, tables } from './tables.ts';

const KNOWN = tables.selectFrom('receivers').select(['id', 'url', sql<boolean>`secret IS NOT NULL`.as('has_secret')]);
type KnownRow = RowOfQuery<typeof KNOWN>;

const KNOWN_AMONG = schema.prepare('known-receivers', ({ ids }: Params<{ readonly ids: readonly string[] }>) =>
  KNOWN.where('id', '=', anyOf(ids)),
);

/** A receiver that is new, has a changed address, or has no secret yet. */
interface ReceiverRow {
  readonly receiver: MessageReceiver;
  readonly queueKey: string;
  readonly secret: Buffer | null;
}

/** Lists with one value for each receiver. */
interface ReceiverLists {
  readonly ids: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly projectIds: readonly string[];
  readonly kinds: readonly MessageReceiver['kind'][];
  readonly services: readonly string[];
  readonly queueKeys: readonly string[];
  readonly hosts: readonly string[];
  readonly urls: readonly Buffer[];
  readonly secrets: readonly (Buffer | null)[];
}

/** The health is that of the current address. */
const KEEP = schema.prepareText(
  'keep-receivers',
  {},
  (lists: Params<ReceiverLists>) => sql`
    INSERT INTO receivers AS r (id, workspace_id, project_id, kind, service, queue_key, host, url, secret)
    SELECT * FROM unnest(${lists.ids}::text[], ${lists.workspaceIds}::text[], ${lists.projectIds}::text[], ${lists.kinds}::text[],
      ${lists.services}::text[], ${lists.queueKeys}::text[], ${lists.hosts}::text[], ${lists.urls}::bytea[], ${lists.secrets}::bytea[])
    ON CONFLICT (id) DO UPDATE SET
      service = excluded.service, queue_key = excluded.queue_key, host = excluded.host, url = excluded.url,
      secret = COALESCE(r.secret, excluded.secret),
      failures = CASE WHEN r.queue_key = excluded.queue_key THEN r.failures ELSE 0 END,
      last_delivered_at = CASE WHEN r.queue_key = excluded.queue_key THEN r.last_delivered_at END,
      last_failed_at = CASE WHEN r.queue_key = excluded.queue_key THEN r.last_failed_at END,
      last_paused_at = CASE WHEN r.queue_key = excluded.queue_key THEN r.last_paused_at END,
      last_status = CASE WHEN r.queue_key = excluded.queue_key THEN r.last_status ELSE 0 END,
      last_error = CASE WHEN r.queue_key = excluded.queue_key THEN r.last_error ELSE '' END`,
);

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
  async upsert(client: Database, receivers: readonly MessageReceiver[]): Promise<void> {
    const byId = new Map(receivers.map((receiver) => [receiver.id, receiver]));
    const rows = await KNOWN_AMONG.rows(client, { ids: [...byId.keys()] });
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

  async #write(client: Database, changed: readonly ReceiverRow[]): Promise<void> {
    await KEEP.change(client, {
      ids: changed.map(({ receiver }) => receiver.id),
      workspaceIds: changed.map(({ receiver }) => receiver.workspaceId),
      projectIds: changed.map(({ receiver }) => receiver.projectId),
      kinds: changed.map(({ receiver }) => receiver.kind),
      services: changed.map(({ receiver }) => receiver.service),
      queueKeys: changed.map(({ queueKey }) => queueKey),
      hosts: changed.map(({ receiver }) => hostOf(receiver)),
      urls: changed.map(({ receiver }) => this.#sealer.seal(receiver.url, receiver.id)),
      secrets: changed.map(({ secret }) => secret),
    });
  }

  /** Seals the address of a delivery, which keeps it when its project's address changes. */
  sealUrl(url: string, deliveryId: string): Buffer {
    return this.#sealer.seal(url, deliveryId);
  }

  /** Returns the stored receiver, its secret still sealed; undefined where there is none. */
  async open(id: string): Promise<MessageReceiver | undefined> {
    const row = await selectRow(
      this.#pool,
      tables
        .selectFrom('receivers')
        .select(['workspace_id as workspaceId', 'project_id as projectId', 'kind', 'service', 'url', 'secret'])
        .where('id', '=', id),
    );
    if (row === undefined) return undefined;
    const { url, secret, ...receiver } = row;
    const sealedSecret = secret === null ? {} : { sealedSecret: secret };
    return { ...receiver, id, url: this.#sealer.open(url, id), ...sealedSecret };
  }
}
