import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  jetstream,
} from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { confirmationSubject, EVENT_STREAM, type EventDefinition, WORK_STREAM, type Work } from '@tidemark/contracts';
import { Confirmation, type Envelope, EventBatch } from '@tidemark/contracts/bus/v1/bus';
import { ControlChannel } from './control-channel.ts';
import { EventConsumer, MAX_DELIVERIES, type ReceivedEvent } from './event-consumer.ts';
import type { Logger } from './logger.ts';
import { ReconnectWatch } from './reconnect-watch.ts';
import { ensureStreams, NANOS_PER_SECOND } from './streams.ts';
import { currentTrace } from './trace-context.ts';
import { Worker } from './work-queue.ts';

/** Milliseconds until a fact that could not be stored comes again, by deliveries so far. */
const RETRY_DELAYS_MS: readonly number[] = [500, 2_000, 10_000, 30_000];

/** A message ready to go: already bytes, with the id that makes sending it twice harmless. */
export interface OutgoingEvent {
  readonly id: string;
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly trace: Readonly<Record<string, string>>;
}

/** The transport: JetStream for facts, core NATS for confirmations. Reconnects for ever; nothing is kept here that a table doesn't hold. */
export class Bus {
  /** Control messages. */
  readonly control: ControlChannel;
  readonly #connection: NatsConnection;
  readonly #js: JetStreamClient;
  readonly #log: Logger;
  readonly #reconnects: ReconnectWatch;
  readonly #retryDelaysMs: readonly number[];
  #manager: Promise<JetStreamManager> | undefined;
  readonly #workers: { close(): void }[] = [];
  #closing = false;

  private constructor(connection: NatsConnection, log: Logger, retryDelaysMs: readonly number[]) {
    this.#retryDelaysMs = retryDelaysMs;
    this.#connection = connection;
    this.#js = jetstream(connection);
    this.control = new ControlChannel(connection);
    this.#reconnects = new ReconnectWatch(connection);
    this.#log = log;
  }

  static async connect(url: string, service: string, log: Logger, retryDelaysMs = RETRY_DELAYS_MS): Promise<Bus> {
    const connection = await connect({
      servers: url,
      name: service,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      waitOnFirstConnect: true,
      pingInterval: 5_000,
    });
    return new Bus(connection, log, retryDelaysMs);
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

  /** Publishes facts of one subject as one message and waits for JetStream's acknowledgement, five seconds at most. */
  async publish(subject: string, events: readonly OutgoingEvent[]): Promise<void> {
    const batch = EventBatch.encode({
      events: events.map(({ id, payload, trace }) => ({ id, payload: Buffer.from(payload), trace })),
    });
    await this.#js.publish(subject, batch.finish(), { timeout: 5_000 }).catch((error: unknown) => {
      // The stream may have gone with the server's disk: the next `prepare` makes it again.
      this.#manager = undefined;
      throw error;
    });
  }

  /** Milliseconds to wait before the next delivery of a fact that could not be stored. */
  retryDelayMs(deliveries: number): number {
    return this.#retryDelaysMs[deliveries - 1] ?? this.#retryDelaysMs.at(-1) ?? 0;
  }

  /** Keeps a fact aside that could not be stored, for people to look at. */
  async publishDead(subject: string, event: Envelope): Promise<void> {
    await this.#js.publish(`dead.${subject}`, EventBatch.encode({ events: [event] }).finish(), { timeout: 5_000 });
  }

  /** Tells a fact's owner that these are stored. Not durable: an owner that misses it sends again, which changes nothing. */
  confirm(owner: string, consumer: string, ids: readonly string[]): void {
    this.#connection.publish(confirmationSubject(owner), Confirmation.encode({ consumer, ids: [...ids] }).finish());
  }

  /** Hears confirmations for `owner`; among replicas one hears each. */
  onConfirm(owner: string, listener: (consumer: string, ids: readonly string[]) => void): void {
    this.#connection.subscribe(confirmationSubject(owner), {
      queue: owner,
      callback: (error, message) => {
        if (error !== null) return;
        const { consumer, ids } = Confirmation.decode(message.data);
        listener(consumer, ids);
      },
    });
  }

  #consumer(durable: string, subject: string): Promise<Consumer> {
    return this.#durable(EVENT_STREAM.name, {
      durable_name: durable,
      filter_subject: subject,
      ack_policy: AckPolicy.Explicit,
      ack_wait: 30 * NANOS_PER_SECOND,
      max_deliver: MAX_DELIVERIES + 1,
      max_ack_pending: 500,
    });
  }

  async #durable(
    stream: string,
    config: Partial<ConsumerConfig> & { readonly durable_name: string },
  ): Promise<Consumer> {
    this.#manager ??= ensureStreams(this.#connection);
    try {
      const manager = await this.#manager;
      await manager.consumers.add(stream, config);
      return await this.#js.consumers.get(stream, config.durable_name);
    } catch (error) {
      this.#manager = undefined;
      throw error;
    }
  }

  /** Offers a piece of work to whoever has a hand free. The same id within two minutes is offered once. */
  async offer<T>(work: Work<T>, id: string, piece: T): Promise<void> {
    await this.prepare();
    const subject = work.keyOf === undefined ? work.subject : `${work.subject}.${work.keyOf(piece)}`;
    await this.#js.publish(subject, work.codec.encode(piece).finish(), { msgID: id, timeout: 5_000 });
  }

  /** Removes the queued work of one key (`Work.keyOf`). Work already delivered to a worker is not stopped by it. */
  async drop<T>(work: Work<T>, key: string): Promise<void> {
    await this.prepare();
    await (await this.#manager)?.streams.purge(WORK_STREAM.name, { filter: `${work.subject}.${key}` });
  }

  /** When the stream of work was made. Another moment than before says that the server lost its disk, and what was offered with it. */
  async workStreamCreatedAt(): Promise<string> {
    await this.prepare();
    try {
      const info = await (await this.#manager)?.streams.info(WORK_STREAM.name);
      return info?.created ?? '';
    } catch (error) {
      this.#manager = undefined;
      throw error;
    }
  }

  /** Does work of this kind until the bus closes; `handle` must be safe to repeat. `isRedelivered`: the piece may have been delivered before. */
  work<T>(work: Work<T>, slots: number, handle: (piece: T, isRedelivered: boolean) => Promise<void>): void {
    const durable = workerConsumerName(work);
    const consumer = () =>
      this.#durable(WORK_STREAM.name, {
        durable_name: durable,
        filter_subject: work.keyOf === undefined ? work.subject : `${work.subject}.>`,
        ack_policy: AckPolicy.Explicit,
        ack_wait: work.ackWaitSeconds * NANOS_PER_SECOND,
        max_deliver: -1,
        max_ack_pending: 10_000,
      });
    const isRedelivered = (message: JsMsg) => message.redelivered || this.#reconnects.isOlder(message.time);
    this.#workers.push(new Worker(work, consumer, handle, { slots, isRedelivered, log: this.#log }));
  }

  /** Pieces of work of this kind that nobody has taken yet, over the whole fleet. */
  async pendingWork<T>(work: Work<T>): Promise<number> {
    this.#manager ??= ensureStreams(this.#connection);
    const manager = await this.#manager;
    return (await manager.consumers.info(WORK_STREAM.name, workerConsumerName(work))).num_pending;
  }

  /** Makes the streams, so that facts can be published before anyone consumes them. */
  async prepare(): Promise<void> {
    this.#manager ??= ensureStreams(this.#connection);
    try {
      await this.#manager;
    } catch (error) {
      this.#manager = undefined;
      throw error;
    }
  }

  /**
   * Consumes a fact in batches until the bus closes. `store` must be safe to repeat; when it returns, the batch is
   * acknowledged and confirmed to the owner. A fact that fails five times goes to the dead-letter stream.
   */
  consume<T>(
    event: EventDefinition<T>,
    consumer: string,
    store: (batch: readonly ReceivedEvent<T>[]) => Promise<void>,
  ): void {
    if (!event.consumers.includes(consumer))
      throw new Error(`${consumer} is no consumer of ${event.subject}; see subjects.ts`);
    const events = new EventConsumer(this, event, consumer, store, this.#log);
    const durable = `${consumer}-${event.subject.replaceAll('.', '-')}`;
    void this.#consumeForever(durable, event.subject, (message) => events.take(message));
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
    for (const worker of this.#workers) worker.close();
    await Promise.race([this.#connection.drain(), new Promise((resolve) => setTimeout(resolve, 2_000).unref())]).catch(
      () => undefined,
    );
    await this.#connection.close().catch(() => undefined);
  }
}

/** Everyone who does this kind of work shares one consumer. */
const workerConsumerName = <T>(work: Work<T>): string => `workers-${work.subject.replaceAll('.', '-')}`;

/** A fact as bytes, with the trace it is told in. `id` is its business key: the same one is stored once. */
export function outgoingEvent<T>(event: EventDefinition<T>, id: string, message: T): OutgoingEvent {
  return { id, subject: event.subject, payload: event.codec.encode(message).finish(), trace: currentTrace() };
}
