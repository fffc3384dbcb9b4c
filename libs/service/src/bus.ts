import {
  AckPolicy,
  type Consumer,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { context, propagation, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { confirmSubject, DEAD_STREAM, FACT_STREAM, type Fact } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { Coalescer } from './coalesce.ts';
import type { Logger } from './logger.ts';
import { redMetrics, tracer } from './telemetry.ts';
import { currentTrace } from './trace-context.ts';

const NANOS_PER_SECOND = 1_000_000_000;
const MAX_DELIVERIES = 5;
const RETRY_DELAYS_MS = [500, 2_000, 10_000, 30_000];
const observe = redMetrics('bus_consumer');

/** A message ready to go: already bytes, with the id that makes sending it twice harmless. */
export interface Outgoing {
  readonly id: string;
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly trace: Readonly<Record<string, string>>;
}

/** A fact as its consumer gets it. */
export interface Delivered<T> {
  readonly id: string;
  readonly fact: T;
}

/** The transport: JetStream for facts, core NATS for confirmations. Reconnects for ever; nothing is kept here that a table doesn't hold. */
export class Bus {
  readonly #connection: NatsConnection;
  readonly #js: JetStreamClient;
  readonly #log: Logger;
  readonly #service: string;
  #manager: Promise<JetStreamManager> | undefined;
  #closing = false;

  private constructor(connection: NatsConnection, service: string, log: Logger) {
    this.#connection = connection;
    this.#js = jetstream(connection);
    this.#service = service;
    this.#log = log;
  }

  static async connect(url: string, service: string, log: Logger): Promise<Bus> {
    const connection = await connect({
      servers: url,
      name: service,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      waitOnFirstConnect: true,
      pingInterval: 5_000,
    });
    return new Bus(connection, service, log);
  }

  get connected(): boolean {
    return !this.#connection.isClosed() && !this.#closing;
  }

  /** Resolves when the server answered a round trip. @throws Error where it doesn't within a second */
  async ping(): Promise<void> {
    await Promise.race([
      this.#connection.flush(),
      new Promise((_, reject) => setTimeout(() => reject(new Error('nats does not answer')), 1_000).unref()),
    ]);
  }

  /** Publishes to JetStream and waits for its acknowledgement, five seconds at most. */
  async publish(message: Outgoing): Promise<void> {
    const carried = headers();
    for (const [key, value] of Object.entries(message.trace)) carried.set(key, value);
    await this.#js.publish(message.subject, message.payload, { msgID: message.id, headers: carried, timeout: 5_000 });
  }

  /** Tells a fact's owner that these are stored. Not durable: an owner that misses it sends again, which changes nothing. */
  confirm(owner: string, subject: string, consumer: string, ids: readonly string[]): void {
    this.#connection.publish(confirmSubject(owner), JSON.stringify({ subject, consumer, ids }));
  }

  /** Hears confirmations for `owner`; among replicas one hears each. */
  onConfirm(owner: string, listener: (consumer: string, ids: readonly string[]) => void): void {
    this.#connection.subscribe(confirmSubject(owner), {
      queue: owner,
      callback: (error, message) => {
        if (error !== null) return;
        const { consumer, ids } = message.json<{ consumer: string; ids: string[] }>();
        listener(consumer, ids);
      },
    });
  }

  /** Makes the streams as they should be; harmless to repeat, and needed again where the server lost its disk. */
  async #prepare(): Promise<JetStreamManager> {
    const manager = await jetstreamManager(this.#connection, { checkAPI: false });
    for (const stream of [FACT_STREAM, DEAD_STREAM]) {
      const config = {
        name: stream.name,
        subjects: [...stream.subjects],
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
        discard: DiscardPolicy.Old,
        max_age: stream.maxAgeHours * 3600 * NANOS_PER_SECOND,
        max_bytes: stream.maxBytes,
        duplicate_window: 120 * NANOS_PER_SECOND,
      };
      await manager.streams.add(config).catch(() => manager.streams.update(stream.name, config));
    }
    return manager;
  }

  async #consumer(durable: string, subject: string): Promise<Consumer> {
    this.#manager ??= this.#prepare();
    try {
      const manager = await this.#manager;
      await manager.consumers.add(FACT_STREAM.name, {
        durable_name: durable,
        filter_subject: subject,
        ack_policy: AckPolicy.Explicit,
        ack_wait: 30 * NANOS_PER_SECOND,
        max_deliver: MAX_DELIVERIES + 1,
        max_ack_pending: 500,
      });
      return await this.#js.consumers.get(FACT_STREAM.name, durable);
    } catch (error) {
      this.#manager = undefined;
      throw error;
    }
  }

  /** Makes the streams, so that facts can be published before anyone consumes them. */
  async prepare(): Promise<void> {
    this.#manager ??= this.#prepare();
    try {
      await this.#manager;
    } catch (error) {
      this.#manager = undefined;
      throw error;
    }
  }

  /**
   * Consumes a fact in batches until the bus closes. `store` must be safe to repeat; when it returns, the batch is
   * acknowledged and confirmed to the owner. A message that fails five times goes to the dead-letter stream.
   */
  consume<T>(fact: Fact<T>, consumer: string, store: (batch: readonly Delivered<T>[]) => Promise<void>): void {
    if (!fact.consumers.includes(consumer))
      throw new Error(`${consumer} is no consumer of ${fact.subject}; see subjects.ts`);
    const batches = new Coalescer<{ message: JsMsg; delivered: Delivered<T> }, undefined>(
      async (items) => {
        await this.#store(fact, consumer, items, store);
        return items.map(() => undefined);
      },
      { maxBatch: 200, lingerMs: fact.gatherMs },
    );
    const durable = `${consumer}-${fact.subject.replaceAll('.', '-')}`;
    void this.#consumeForever(durable, fact.subject, (message) => {
      // What follows a tilde only tells one sending from another.
      const id = message.headers?.get('Nats-Msg-Id').split('~')[0] ?? `${message.seq}`;
      batches
        .add({ message, delivered: { id, fact: fact.codec.decode(message.data) } })
        .catch((error: unknown) => this.#reject(message, error));
    });
  }

  async #store<T>(
    fact: Fact<T>,
    consumer: string,
    items: readonly { message: JsMsg; delivered: Delivered<T> }[],
    store: (batch: readonly Delivered<T>[]) => Promise<void>,
  ): Promise<void> {
    const startedAtMs = performance.now();
    const labels = { service: this.#service, name: fact.subject };
    const spans = items.map(({ message }) =>
      tracer.startSpan(`${fact.subject} ${consumer}`, { kind: SpanKind.CONSUMER }, traceOf(message)),
    );
    try {
      await store(items.map((item) => item.delivered));
      for (const { message } of items) message.ack();
      this.confirm(
        fact.owner,
        fact.subject,
        consumer,
        items.map((item) => item.delivered.id),
      );
      observe({ ...labels, outcome: 'ok' }, startedAtMs);
    } catch (error) {
      for (const span of spans) span.setStatus({ code: SpanStatusCode.ERROR });
      observe({ ...labels, outcome: error instanceof AppError ? error.code : 'internal' }, startedAtMs);
      throw error;
    } finally {
      for (const span of spans) span.end();
    }
  }

  #reject(message: JsMsg, error: unknown): void {
    const deliveries = message.info.deliveryCount;
    if (deliveries < MAX_DELIVERIES) {
      this.#log.warn(
        { err: error, subject: message.subject, deliveries },
        'a fact could not be stored; it comes again',
      );
      message.nak(RETRY_DELAYS_MS[deliveries - 1] ?? 30_000);
      return;
    }
    this.#log.error(
      { err: error, subject: message.subject, seq: message.seq },
      'a fact failed five times; it is kept in the dead-letter stream',
    );
    this.#js.publish(`dead.${message.subject}`, message.data, { timeout: 5_000 }).then(
      () => message.term(),
      () => message.nak(30_000),
    );
  }

  async #consumeForever(durable: string, subject: string, onMessage: (message: JsMsg) => void): Promise<void> {
    while (!this.#closing) {
      try {
        const consumer = await this.#consumer(durable, subject);
        const messages = await consumer.consume({ max_messages: 300, abort_on_missing_resource: true });
        for await (const message of messages) onMessage(message);
      } catch (error) {
        if (!this.#closing) this.#log.warn({ err: error, durable }, 'consuming was interrupted; trying again');
      }
      this.#manager = undefined;
      if (!this.#closing) await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    await Promise.race([this.#connection.drain(), new Promise((resolve) => setTimeout(resolve, 2_000).unref())]).catch(
      () => undefined,
    );
    await this.#connection.close().catch(() => undefined);
  }
}

function traceOf(message: JsMsg) {
  return propagation.extract(context.active(), message.headers, {
    get: (carrier, key) => carrier?.get(key) || undefined,
    keys: (carrier) => carrier?.keys() ?? [],
  });
}

/** A fact as bytes, with the trace it is told in. `id` is its business key: the same one is stored once. */
export function outgoing<T>(fact: Fact<T>, id: string, message: T): Outgoing {
  return { id, subject: fact.subject, payload: fact.codec.encode(message).finish(), trace: currentTrace() };
}
