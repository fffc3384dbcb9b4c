import { newId } from '@tidemark/contracts';
import { anyOf, lockUntilCommit, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { AttemptBy } from '../domain/delivery.ts';
import type { MessageReceiver, NewMessage } from '../domain/new-message.ts';
import { hostOf, queueKeyOf } from '../domain/receiver-address.ts';
import type { Receivers } from './receivers.ts';
import { schema, tables } from './tables.ts';

interface NewDelivery {
  readonly id: string;
  readonly queueKey: string;
  readonly message: NewMessage;
}

/** Lists with one value for each message. */
interface MessageLists {
  readonly ids: readonly string[];
  readonly queueKeys: readonly string[];
  readonly keys: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly projectIds: readonly string[];
  readonly runIds: readonly string[];
  readonly events: readonly string[];
  readonly kinds: readonly MessageReceiver['kind'][];
  readonly receiverIds: readonly string[];
  readonly recipients: readonly string[];
  readonly bodies: readonly string[];
  readonly areTests: readonly boolean[];
  readonly by: readonly AttemptBy[];
  readonly createdAt: readonly Date[];
  readonly hosts: readonly string[];
  readonly urls: readonly Buffer[];
  readonly nextAt: Date;
}

const ENQUEUE = schema.prepareText(
  'enqueue',
  {},
  (lists: Params<MessageLists>) => sql`
    INSERT INTO deliveries (id, queue_key, key, workspace_id, project_id, run_id, event, kind, receiver_id, recipient, body, is_test, by, created_at,
      host, url, next_at)
    SELECT *, ${lists.nextAt}::timestamptz FROM unnest(
      ${lists.ids}::text[], ${lists.queueKeys}::text[], ${lists.keys}::text[], ${lists.workspaceIds}::text[], ${lists.projectIds}::text[],
      ${lists.runIds}::text[], ${lists.events}::text[], ${lists.kinds}::text[], ${lists.receiverIds}::text[], ${lists.recipients}::text[],
      ${lists.bodies}::text[], ${lists.areTests}::boolean[], ${lists.by}::text[], ${lists.createdAt}::timestamptz[], ${lists.hosts}::text[],
      ${lists.urls}::bytea[])
    ON CONFLICT (key) DO NOTHING`,
);

const DELETED_AMONG = schema.prepare(
  'deleted-among',
  ({ projects }: Params<{ readonly projects: readonly string[] }>) =>
    tables.selectFrom('deleted_projects').select('project_id').where('project_id', '=', anyOf(projects)),
);

/** Stores messages to be delivered, in the transaction of the caller. */
export class Queue {
  readonly #receivers: Receivers;
  readonly #now: () => Date;
  readonly #onQueued: (queueKeys: readonly string[]) => void;

  /** `onQueued` receives the keys of receiver queues with committed messages. */
  constructor(receivers: Receivers, now: () => Date, onQueued: (queueKeys: readonly string[]) => void) {
    this.#receivers = receivers;
    this.#now = now;
    this.#onQueued = onQueued;
  }

  /**
   * Enqueues messages, except those with a known key and those of deleted projects.
   * @returns the keys of their receiver queues, to be woken after the commit
   */
  async enqueue(client: pg.PoolClient, messages: readonly NewMessage[]): Promise<readonly string[]> {
    const active = await withoutDeletedProjects(client, messages);
    if (active.length === 0) return [];
    await this.#receivers.upsert(
      client,
      active.map(({ receiver }) => receiver),
    );
    const added = active.map((message) => ({ id: newId('whd'), queueKey: queueKeyOf(message.receiver), message }));
    await this.#insert(client, added);
    return [...new Set(added.map(({ queueKey }) => queueKey))];
  }

  async #insert(client: pg.PoolClient, added: readonly NewDelivery[]): Promise<void> {
    await ENQUEUE.change(client, {
      ids: added.map(({ id }) => id),
      queueKeys: added.map(({ queueKey }) => queueKey),
      keys: added.map(({ message }) => message.key),
      workspaceIds: added.map(({ message }) => message.receiver.workspaceId),
      projectIds: added.map(({ message }) => message.receiver.projectId),
      runIds: added.map(({ message }) => message.runId),
      events: added.map(({ message }) => message.event),
      kinds: added.map(({ message }) => message.receiver.kind),
      receiverIds: added.map(({ message }) => message.receiver.id),
      recipients: added.map(({ message }) => message.recipient),
      bodies: added.map(({ id, message }) => message.body(id)),
      areTests: added.map(({ message }) => message.isTest ?? false),
      by: added.map(({ message }) => (message.isTest === true ? 'test' : 'schedule')),
      createdAt: added.map(({ message }) => message.createdAt),
      hosts: added.map(({ message }) => hostOf(message.receiver)),
      urls: added.map(({ id, message }) => this.#receivers.sealUrl(message.receiver.url, id)),
      nextAt: this.#now(),
    });
  }

  /** Stores the address and secret of job webhooks before there is anything to send to them. Idempotent. */
  async upsertReceivers(client: pg.PoolClient, receivers: readonly MessageReceiver[]): Promise<void> {
    await this.#receivers.upsert(client, receivers);
  }

  /** Returns a stored receiver; undefined where there is none. */
  openReceiver(id: string): Promise<MessageReceiver | undefined> {
    return this.#receivers.open(id);
  }

  /** Starts sending from these receiver queues. To be called after the commit. */
  wake(queueKeys: readonly string[]): void {
    this.#onQueued(queueKeys);
  }
}

/**
 * Returns the messages whose projects exist. A project is deleted under the same lock, so that its deletion sees every message and none is
 * added after it.
 */
async function withoutDeletedProjects(
  client: pg.PoolClient,
  messages: readonly NewMessage[],
): Promise<readonly NewMessage[]> {
  const projects = [...new Set(messages.map(({ receiver }) => receiver.projectId))]
    .filter((id) => id !== '')
    .toSorted();
  if (projects.length === 0) return messages;
  await lockUntilCommit(client, projects, 'shared');
  const rows = await DELETED_AMONG.rows(client, { projects });
  const deleted = new Set(rows.map((row) => row.project_id));
  return messages.filter(({ receiver }) => !deleted.has(receiver.projectId));
}
