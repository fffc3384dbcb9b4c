import type pg from 'pg';
import type { NewMessage } from '../domain/new-message.ts';
import type { Queue } from './ports.ts';

/** Messages handed to the queue together. */
const BATCH = 500;

/** Hands messages to the queue, so many at a time. @returns the lanes they wait in, to be woken after the commit */
export async function enqueueAll(
  queue: Queue,
  client: pg.PoolClient,
  messages: readonly NewMessage[],
): Promise<readonly string[]> {
  const lanes = new Set<string>();
  for (let at = 0; at < messages.length; at += BATCH)
    for (const lane of await queue.enqueue(client, messages.slice(at, at + BATCH))) lanes.add(lane);
  return [...lanes];
}
