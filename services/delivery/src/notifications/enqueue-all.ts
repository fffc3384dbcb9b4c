import type pg from 'pg';
import type { NewMessage } from '../domain/new-message.ts';
import type { MessageQueue } from './ports.ts';

/** Messages per statement. */
const BATCH = 500;

/** Enqueues messages in batches. @returns the keys of the receiver queues used, to be woken after the commit */
export async function enqueueAll(
  queue: MessageQueue,
  client: pg.PoolClient,
  messages: readonly NewMessage[],
): Promise<readonly string[]> {
  const queueKeys = new Set<string>();
  for (let at = 0; at < messages.length; at += BATCH)
    for (const queueKey of await queue.enqueue(client, messages.slice(at, at + BATCH))) queueKeys.add(queueKey);
  return [...queueKeys];
}
