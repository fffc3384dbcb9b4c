import { newId } from '@tidemark/contracts';
import type pg from 'pg';
import type { MessageReceiver, NewMessage } from '../domain/new-message.ts';
import { hostOf, queueKeyOf } from '../domain/receiver-address.ts';
import type { Receivers } from './receivers.ts';

interface NewDelivery {
  readonly id: string;
  readonly queueKey: string;
  readonly message: NewMessage;
}

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
    const of = <V>(value: (one: NewDelivery) => V): V[] => added.map(value);
    await client.query({
      name: 'enqueue',
      text: `
        INSERT INTO deliveries (id, queue_key, key, workspace_id, project_id, run_id, event, kind, receiver_id, recipient, body, is_test, by, created_at,
          host, url, next_at)
        SELECT *, $17::timestamptz FROM unnest(
          $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
          $12::boolean[], $13::text[], $14::timestamptz[], $15::text[], $16::bytea[])
        ON CONFLICT (key) DO NOTHING`,
      values: [
        of(({ id }) => id),
        of(({ queueKey }) => queueKey),
        of(({ message }) => message.key),
        of(({ message }) => message.receiver.workspaceId),
        of(({ message }) => message.receiver.projectId),
        of(({ message }) => message.runId),
        of(({ message }) => message.event),
        of(({ message }) => message.receiver.kind),
        of(({ message }) => message.receiver.id),
        of(({ message }) => message.recipient),
        of(({ id, message }) => message.body(id)),
        of(({ message }) => message.isTest ?? false),
        of(({ message }) => (message.isTest === true ? 'test' : 'schedule')),
        of(({ message }) => message.createdAt),
        of(({ message }) => hostOf(message.receiver)),
        of(({ id, message }) => this.#receivers.sealUrl(message.receiver.url, id)),
        this.#now(),
      ],
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
  await client.query({
    name: 'share-projects',
    text: 'SELECT pg_advisory_xact_lock_shared(hashtextextended(id, 0)) FROM unnest($1::text[]) AS p (id)',
    values: [projects],
  });
  const { rows } = await client.query<{ project_id: string }>({
    name: 'deleted-among',
    text: 'SELECT project_id FROM deleted_projects WHERE project_id = ANY($1)',
    values: [projects],
  });
  const deleted = new Set(rows.map((row) => row.project_id));
  return messages.filter(({ receiver }) => !deleted.has(receiver.projectId));
}
