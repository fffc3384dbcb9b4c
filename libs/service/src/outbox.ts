import { events } from '@tidemark/contracts';
import type pg from 'pg';
import type { Bus, OutgoingEvent } from './bus.ts';
import { Coalescer } from './coalesce.ts';
import type { Logger } from './logger.ts';

/** Seconds a fact may stay unconfirmed before it is sent again. Longer than a consumer's ordinary lag. */
const RESEND_AFTER_SECONDS = 15;
const SWEEP_EVERY_MS = 3_000;
const SWEEP_BATCH = 500;
/** Facts told within this time share a message: the bus costs the same for one as for many. */
const BATCH_MS = 25;
/** Payload bytes of one message at most, where it carries more than one event; NATS takes 8 MB. */
const MESSAGE_BYTES = 1024 * 1024;
/** Confirmed rows are removed together: nobody waits for that. */
const CONFIRM_BATCH_MS = 250;
/** Facts nobody consumes yet: told once they are on the bus. */
const WITHOUT_CONSUMERS: ReadonlySet<string> = new Set(
  Object.values(events).flatMap(({ subject, consumers }) => (consumers.length === 0 ? [subject] : [])),
);

/**
 * The owner's side of telling a fact: a row written in the transaction of the change it tells of, sent at once, and sent again
 * until every consumer has confirmed that it stored it. An emptied NATS, a killed process or a lost confirmation loses nothing.
 *
 * Needs a table `outbox(id text primary key, subject text, payload bytea, trace jsonb, awaiting text[], sent_at timestamptz)`.
 */
export class Outbox {
  readonly #pool: pg.Pool;
  readonly #bus: Bus;
  readonly #log: Logger;
  readonly #confirmed: Coalescer<{ id: string; consumer: string }, undefined>;
  readonly #sending: Coalescer<OutgoingEvent, undefined>;
  #timer: NodeJS.Timeout | undefined;
  #sweeping = false;

  constructor(pool: pg.Pool, bus: Bus, owner: string, log: Logger) {
    this.#pool = pool;
    this.#bus = bus;
    this.#log = log;
    this.#confirmed = new Coalescer((items) => this.#deleteConfirmed(items), {
      maxBatch: 500,
      everyMs: CONFIRM_BATCH_MS,
    });
    this.#sending = new Coalescer((messages) => this.#publish(messages), {
      maxBatch: 100,
      maxWriters: 4,
      everyMs: BATCH_MS,
    });
    bus.onConfirm(owner, (consumer, ids) => {
      for (const id of ids) this.#confirmed.add({ id, consumer }).catch(() => undefined);
    });
    this.#timer = setInterval(() => void this.#sweep(), SWEEP_EVERY_MS);
  }

  /** Sends facts whose rows have just been committed. Never throws: what doesn't get out now goes with the next sweep. */
  send(messages: readonly OutgoingEvent[]): void {
    for (const message of messages) this.#sending.add(message).catch(() => undefined);
  }

  async #publish(messages: readonly OutgoingEvent[]): Promise<undefined[]> {
    const bySubject = Map.groupBy(messages, (message) => message.subject);
    const parts = [...bySubject].flatMap(([subject, events]) => inParts(events).map((part) => ({ subject, part })));
    await Promise.all(parts.map(({ subject, part }) => this.#bus.publish(subject, part)));
    await this.#deleteUnconsumed(messages.filter(({ subject }) => WITHOUT_CONSUMERS.has(subject)));
    return messages.map(() => undefined);
  }

  /** Removes the rows of published facts that nobody is going to confirm. */
  async #deleteUnconsumed(messages: readonly Pick<OutgoingEvent, 'id'>[]): Promise<void> {
    if (messages.length === 0) return;
    await this.#pool.query({
      name: 'outbox-drop-unheard',
      text: `DELETE FROM outbox WHERE id = ANY($1) AND awaiting = '{}'`,
      values: [messages.map(({ id }) => id)],
    });
  }

  /** Removes the rows every consumer has confirmed. */
  async #deleteConfirmed(items: readonly { id: string; consumer: string }[]): Promise<undefined[]> {
    const ids = items.map((item) => item.id);
    const consumers = items.map((item) => item.consumer);
    const told = `(SELECT id, array_agg(consumer) AS consumers FROM unnest($1::text[], $2::text[]) AS t(id, consumer) GROUP BY id) c`;
    const { rowCount } = await this.#pool.query({
      name: 'outbox-strike',
      text: `DELETE FROM outbox o USING ${told} WHERE o.id = c.id AND o.awaiting <@ c.consumers`,
      values: [ids, consumers],
    });
    if ((rowCount ?? 0) < new Set(ids).size) {
      await this.#pool.query({
        name: 'outbox-strike-some',
        text: `UPDATE outbox o SET awaiting = ARRAY(SELECT unnest(o.awaiting) EXCEPT SELECT unnest(c.consumers)) FROM ${told} WHERE o.id = c.id`,
        values: [ids, consumers],
      });
    }
    return items.map(() => undefined);
  }

  async #sweep(): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      const { rows } = await this.#pool.query<{
        id: string;
        subject: string;
        payload: Buffer;
        trace: Record<string, string>;
      }>({
        name: 'outbox-sweep',
        text: `UPDATE outbox SET sent_at = now() WHERE id IN (
                 SELECT id FROM outbox WHERE sent_at < now() - make_interval(secs => $1) ORDER BY sent_at LIMIT $2 FOR UPDATE SKIP LOCKED)
               RETURNING id, subject, payload, trace`,
        values: [RESEND_AFTER_SECONDS, SWEEP_BATCH],
      });
      if (rows.length > 0) {
        await this.#bus.prepare();
        this.#log.info({ events: rows.length }, 'sending facts again that nobody has confirmed');
      }
      for (let from = 0; from < rows.length; from += 100) await this.#publish(rows.slice(from, from + 100));
    } catch (error) {
      this.#log.warn({ err: error }, 'facts could not be sent again; the next sweep tries');
    } finally {
      this.#sweeping = false;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Splits events into messages of bounded size, in their order. */
function inParts(messages: readonly OutgoingEvent[]): OutgoingEvent[][] {
  const parts: OutgoingEvent[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const part = parts.at(-1);
    bytes += message.payload.length;
    if (part !== undefined && bytes <= MESSAGE_BYTES) part.push(message);
    else {
      parts.push([message]);
      bytes = message.payload.length;
    }
  }
  return parts;
}
