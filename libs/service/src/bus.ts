import { setTimeout as sleep } from 'node:timers/promises';
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
import { within } from '@tidemark/deadline';
import { ControlChannel } from './control-channel.ts';
import { EventConsumer, MAX_DELIVERIES, type ReceivedEvent } from './event-consumer.ts';
import { HeldBytes, PREFETCHED } from './held-bytes.ts';
import { counter, observeGauge } from './instruments.ts';
import type { Logger } from './logger.ts';
import { memoryGuard } from './memory-guard.ts';
import { natsAddress, RECONNECT } from './nats-address.ts';
import type { OutgoingEvent } from './outgoing-event.ts';
import { ReconnectWatch } from './reconnect-watch.ts';
import { ensureStreams, NANOS_PER_SECOND } from './streams.ts';
import { Worker } from './work-queue.ts';

const countDeadLetter = counter('tidemark_dead_letters', {
  description: 'Events that could not be stored and were moved to the dead-letter stream',
});

/** Delay before the next delivery of events that could not be stored, ms, by number of deliveries so far. */
const RETRY_DELAYS_MS: readonly number[] = [500, 2_000, 10_000, 30_000];

/** The NATS transport: JetStream for events and work, core NATS for confirmations. Reconnects without limit. Holds no state that is not also in a table. */
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
  /** Streams of the durable consumers, by their names. */
  readonly #durables = new Map<string, string>();
  #closing = false;

  private constructor(connection: NatsConnection, log: Logger, retryDelaysMs: readonly number[]) {
    this.#retryDelaysMs = retryDelaysMs;
    this.#connection = connection;
    this.#js = jetstream(connection);
    this.control = new ControlChannel(connection);
    this.#reconnects = new ReconnectWatch(connection);
    this.#log = log;
  }

  /** Registers the backlog of the durable consumers that this process takes from: the numbers of JetStream, the same in every instance. */
  #observeBacklog(service: string): void {
    observeGauge(
      'tidemark_bus_consumer_messages',
      { description: 'Messages of a durable consumer: pending (not delivered yet), unacknowledged, redelivered' },
      async () => {
        const manager = await this.#manager;
        if (manager === undefined) return [];
        const infos = await Promise.allSettled(
          [...this.#durables].map(([consumer, stream]) => manager.consumers.info(stream, consumer)),
        );
        return infos.flatMap((info) => {
          if (info.status === 'rejected') return [];
          const { name: consumer, num_pending, num_ack_pending, num_redelivered } = info.value;
          const labels = (state: string) => ({ service, consumer, state });
          return [
            { value: num_pending, labels: labels('pending') },
            { value: num_ack_pending, labels: labels('unacknowledged') },
            { value: num_redelivered, labels: labels('redelivered') },
          ];
        });
      },
    );
  }

  static async connect(url: string, service: string, log: Logger, retryDelaysMs = RETRY_DELAYS_MS): Promise<Bus> {
    const connection = await connect({ ...natsAddress(url), ...RECONNECT, name: service });
    const bus = new Bus(connection, log, retryDelaysMs);
    bus.#observeBacklog(service);
    return bus;
  }

  get connected(): boolean {
    return !this.#connection.isClosed() && !this.#closing;
  }

  /** Resolves after a round trip to the server. @throws Error if the round trip takes over a second */
  async ping(): Promise<void> {
    await within(this.#connection.flush(), 1_000, () => {
      throw new Error('no response from NATS within 1 s');
    });
  }

  /** Publishes events of one subject as one message. Resolves on JetStream's acknowledgement; rejects after five seconds without one. */
  async publish(subject: string, events: readonly OutgoingEvent[]): Promise<void> {
    const batch = EventBatch.encode({
      events: events.map(({ id, payload, trace }) => ({ id, payload: Buffer.from(payload), trace })),
    });
    await this.#js.publish(subject, batch.finish(), { timeout: 5_000 }).catch((error: unknown) => {
      // The server may have lost the stream with its disk; the next `prepare` creates it again.
      this.#manager = undefined;
      throw error;
    });
  }

  /** Returns the delay before the next delivery of events that could not be stored, ms. */
  retryDelayMs(deliveries: number): number {
    return this.#retryDelaysMs[deliveries - 1] ?? this.#retryDelaysMs.at(-1) ?? 0;
  }

  /** Publishes an event that could not be stored to the dead-letter stream, for manual inspection. */
  async publishDead(subject: string, event: Envelope): Promise<void> {
    countDeadLetter({ subject });
    await this.#js.publish(`dead.${subject}`, EventBatch.encode({ events: [event] }).finish(), { timeout: 5_000 });
  }

  /** Confirms to the owner that `consumer` has stored these events. At most once: an owner that receives no confirmation sends the events again. */
  confirm(owner: string, consumer: string, ids: readonly string[]): void {
    this.#connection.publish(confirmationSubject(owner), Confirmation.encode({ consumer, ids: [...ids] }).finish());
  }

  /** Calls `listener` with each confirmation for `owner`. Each confirmation goes to one replica. */
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
      this.#durables.set(config.durable_name, stream);
      return await this.#js.consumers.get(stream, config.durable_name);
    } catch (error) {
      this.#manager = undefined;
      throw error;
    }
  }

  /** Publishes a work item. Items with the same id within two minutes are stored once. */
  async offer<T>(work: Work<T>, id: string, item: T): Promise<void> {
    await this.prepare();
    const subject = work.keyOf === undefined ? work.subject : `${work.subject}.${work.keyOf(item)}`;
    await this.#js.publish(subject, work.codec.encode(item).finish(), { msgID: id, timeout: 5_000 });
  }

  /** Removes the queued items of one key (`Work.keyOf`). Items already delivered to a worker are not stopped. */
  async drop<T>(work: Work<T>, key: string): Promise<void> {
    await this.prepare();
    await (await this.#manager)?.streams.purge(WORK_STREAM.name, { filter: `${work.subject}.${key}` });
  }

  /** Returns the creation time of the work stream. A changed value means that the server lost its disk and every queued item. */
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

  /** Processes items of this queue until the bus closes. `handle` must be idempotent. `isRedelivered`: the item may have been delivered before. */
  work<T>(work: Work<T>, slots: number, handle: (item: T, isRedelivered: boolean) => Promise<void>): void {
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

  /** Returns the number of items of this queue that no worker has received yet. */
  async pendingWork<T>(work: Work<T>): Promise<number> {
    this.#manager ??= ensureStreams(this.#connection);
    const manager = await this.#manager;
    return (await manager.consumers.info(WORK_STREAM.name, workerConsumerName(work))).num_pending;
  }

  /** Creates the streams, so that events can be published before a consumer exists. */
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
   * Consumes an event in batches until the bus closes. `store` must be idempotent. When it resolves, the batch is
   * acknowledged and confirmed to the owner. An event that fails five times is moved to the dead-letter stream.
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

  async #consumeForever(durable: string, subject: string, onMessage: (message: JsMsg) => Promise<void>): Promise<void> {
    const held = new HeldBytes(memoryGuard);
    while (!this.#closing) {
      try {
        const consumer = await this.#consumer(durable, subject);
        const messages = await consumer.consume({ max_messages: PREFETCHED, abort_on_missing_resource: true });
        for await (const message of messages) await held.take(message, onMessage(message));
      } catch (error) {
        if (!this.#closing) this.#log.warn({ err: error, durable }, 'event consumption was interrupted, will retry');
      }
      this.#manager = undefined;
      if (!this.#closing) await sleep(500);
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    for (const worker of this.#workers) worker.close();
    await Promise.race([this.#connection.drain(), sleep(2_000, undefined, { ref: false })]).catch(() => undefined);
    await this.#connection.close().catch(() => undefined);
  }
}

/** All workers of a queue share one durable consumer. */
const workerConsumerName = <T>(work: Work<T>): string => `workers-${work.subject.replaceAll('.', '-')}`;
