import { events } from '@tidemark/contracts';
import { ATTEMPT_POLICIES, LeasedQueue, unfenced } from '@tidemark/leased-work';
import { column, jsonOf, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { Bus } from './bus.ts';
import { Coalescer } from './coalesce.ts';
import { observeGauge } from './instruments.ts';
import type { Logger } from './logger.ts';
import type { OutgoingEvent } from './outgoing-event.ts';
import { schema } from './tables.ts';

/** Seconds an event may stay unconfirmed before it is sent again. Longer than the usual lag of a consumer. */
const RESEND_AFTER_SECONDS = 15;
const SWEEP_EVERY_MS = 3_000;
const SWEEP_BATCH = 500;
/** Events sent within this time share a message: the cost of a message does not depend on the number of its events. */
const BATCH_MS = 25;
/** Maximum payload of a message with more than one event, bytes. NATS accepts 8 MB. */
const MESSAGE_BYTES = 1024 * 1024;
/** Confirmed rows are deleted in batches at this interval. */
const CONFIRM_BATCH_MS = 250;
/** Subjects without a consumer. Their rows are deleted once published. */
const WITHOUT_CONSUMERS: ReadonlySet<string> = new Set(
  Object.values(events).flatMap(({ subject, consumers }) => (consumers.length === 0 ? [subject] : [])),
);

/** Unconfirmed events. `sent_at` is the time of the last attempt, so a row is due a while after it; a claim sets it to the present time. */
const UNCONFIRMED = new LeasedQueue({
  schema,
  name: 'unconfirmed-events',
  table: 'outbox',
  key: ['id'],
  times: { kind: 'shared', at: 'sent_at', whenNull: 'never_due' },
  fence: unfenced('consumers store an event once'),
  leaseSeconds: RESEND_AFTER_SECONDS,
  now: sql`now() - make_interval(secs => ${sql.lit(RESEND_AFTER_SECONDS)})`,
  claimedUntil: sql`now()`,
  policy: ATTEMPT_POLICIES['all.outbox'],
  columns: {
    id: column('text'),
    subject: column('text'),
    payload: column('bytea'),
    trace: jsonOf<Record<string, string>>(),
  },
});

const DELETE_UNCONSUMED = schema.prepareText(
  'outbox-delete-unconsumed',
  {},
  ({ ids }: Params<{ readonly ids: readonly string[] }>) =>
    sql`DELETE FROM outbox WHERE id = ANY(${ids}) AND awaiting = '{}'`,
);

const COUNT_UNCONFIRMED = schema.prepareText(
  'outbox-count-unconfirmed',
  { unconfirmed: column('int4'), overdue: column('int4') },
  () => sql`
    SELECT count(*)::int AS unconfirmed, count(*) FILTER (WHERE sent_at < now() - make_interval(secs => ${sql.lit(RESEND_AFTER_SECONDS)}))::int AS overdue
    FROM outbox`,
);

/** Lists of equal length: a confirmation each. */
interface Confirmations {
  readonly ids: readonly string[];
  readonly consumers: readonly string[];
}

const confirmed = ({ ids, consumers }: Params<Confirmations>) => sql`(
  SELECT id, array_agg(consumer) AS consumers FROM unnest(${ids}::text[], ${consumers}::text[]) AS t(id, consumer) GROUP BY id) c`;

const DELETE_CONFIRMED = schema.prepareText(
  'outbox-delete-confirmed',
  {},
  (lists: Params<Confirmations>) =>
    sql`DELETE FROM outbox o USING ${confirmed(lists)} WHERE o.id = c.id AND o.awaiting <@ c.consumers`,
);

const UPDATE_CONFIRMED = schema.prepareText(
  'outbox-update-confirmed',
  {},
  (lists: Params<Confirmations>) => sql`
    UPDATE outbox o SET awaiting = ARRAY(SELECT unnest(o.awaiting) EXCEPT SELECT unnest(c.consumers))
    FROM ${confirmed(lists)} WHERE o.id = c.id`,
);

/**
 * Transactional outbox. An event is a row, written in the transaction of the change it reports. It is sent immediately, and again
 * until every consumer has confirmed it. No event is lost when NATS loses its data, a process is killed or a confirmation is lost.
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

  constructor(pool: pg.Pool, bus: Bus, owner: string, log: Logger, sweepEveryMs = SWEEP_EVERY_MS) {
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
    this.#timer = setInterval(() => void this.#sweep(), sweepEveryMs);
    observeGauge(
      'tidemark_outbox_events',
      {
        description:
          'Events that not every consumer has confirmed; overdue: those not confirmed within 15 s of the last attempt',
      },
      async () => {
        const [row] = await COUNT_UNCONFIRMED.rows(pool, {});
        const labels = (state: string) => ({ service: owner, state });
        return [
          { value: row?.unconfirmed ?? 0, labels: labels('unconfirmed') },
          { value: row?.overdue ?? 0, labels: labels('overdue') },
        ];
      },
    );
  }

  /** Sends events whose rows have been committed. Never throws: the sweep sends events that could not be published. */
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

  /** Deletes the rows of published events that have no consumer. */
  async #deleteUnconsumed(messages: readonly Pick<OutgoingEvent, 'id'>[]): Promise<void> {
    if (messages.length === 0) return;
    await DELETE_UNCONSUMED.change(this.#pool, { ids: messages.map(({ id }) => id) });
  }

  /** Deletes the rows that every consumer has confirmed. */
  async #deleteConfirmed(items: readonly { id: string; consumer: string }[]): Promise<undefined[]> {
    const ids = items.map((item) => item.id);
    const consumers = items.map((item) => item.consumer);
    const deleted = await DELETE_CONFIRMED.change(this.#pool, { ids, consumers });
    if (deleted < new Set(ids).size) await UPDATE_CONFIRMED.change(this.#pool, { ids, consumers });
    return items.map(() => undefined);
  }

  async #sweep(): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      const rows = await UNCONFIRMED.claim(this.#pool, { limit: SWEEP_BATCH });
      if (rows.length > 0) {
        await this.#bus.prepare();
        this.#log.info({ events: rows.length }, 'sending unconfirmed events again');
      }
      for (let from = 0; from < rows.length; from += 100) await this.#publish(rows.slice(from, from + 100));
    } catch (error) {
      this.#log.warn({ err: error }, 'unconfirmed events could not be sent, will retry');
    } finally {
      this.#sweeping = false;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Splits events into batches of at most `MESSAGE_BYTES`, in order. */
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
