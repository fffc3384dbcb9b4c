import type { JsMsg } from '@nats-io/jetstream';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { EventDefinition } from '@tidemark/contracts';
import { type Envelope, EventBatch } from '@tidemark/contracts/bus/v1/bus';
import { AppError } from '@tidemark/errors';
import { Coalescer } from './coalesce.ts';
import type { Logger } from './logger.ts';
import { isDatabaseUnavailable } from './postgres.ts';
import { redMetrics, tracer } from './telemetry.ts';
import { contextOf } from './trace-context.ts';

/** Deliveries of a message before its events that can not be stored go to the dead-letter stream. */
export const MAX_DELIVERIES = 5;
const observe = redMetrics('bus_consumer');

const isTransient = (error: unknown): boolean =>
  error instanceof AppError ? error.code === 'unavailable' : isDatabaseUnavailable(error);

/** A decoded event and its business key. */
export interface ReceivedEvent<T> {
  readonly id: string;
  readonly event: T;
}

interface Pending<T> {
  readonly envelope: Envelope;
  readonly received: ReceivedEvent<T>;
}

/** What a consumer needs of the bus. */
export interface DeliveryBus {
  confirm(owner: string, consumer: string, ids: readonly string[]): void;
  publishDead(subject: string, event: Envelope): Promise<void>;
  /** Delay before the next delivery of events that could not be stored, ms. */
  retryDelayMs(deliveries: number): number;
}

/** Stores the events of one subject for one consumer: messages are stored in batches, and one by one when a batch fails. */
export class EventConsumer<T> {
  readonly #bus: DeliveryBus;
  readonly #event: EventDefinition<T>;
  readonly #consumer: string;
  readonly #store: (batch: readonly ReceivedEvent<T>[]) => Promise<void>;
  readonly #log: Logger;
  readonly #messages: Coalescer<readonly Pending<T>[], undefined>;

  constructor(
    bus: DeliveryBus,
    event: EventDefinition<T>,
    consumer: string,
    store: (batch: readonly ReceivedEvent<T>[]) => Promise<void>,
    log: Logger,
  ) {
    this.#bus = bus;
    this.#event = event;
    this.#consumer = consumer;
    this.#store = store;
    this.#log = log;
    this.#messages = new Coalescer(
      async (batch) => {
        await this.#storeAll(batch.flat());
        return batch.map(() => undefined);
      },
      {
        maxBatch: 100,
        everyMs: event.batchMs,
        busyEveryMs: event.busyBatchMs,
        sizeOf: (events) => events.length,
      },
    );
  }

  /** Processes a message. Acknowledges it after all of its events are stored or in the dead-letter stream. Never rejects. */
  take(message: JsMsg): Promise<void> {
    return this.#handle(message).catch((error: unknown) => {
      this.#log.warn({ err: error, subject: message.subject }, 'events could not be stored, they will be redelivered');
      message.nak(this.#bus.retryDelayMs(message.info.deliveryCount));
    });
  }

  async #handle(message: JsMsg): Promise<void> {
    const { events } = EventBatch.decode(message.data);
    const isLast = message.info.deliveryCount >= MAX_DELIVERIES;
    const pending: Pending<T>[] = [];
    for (const envelope of events) {
      try {
        pending.push({ envelope, received: { id: envelope.id, event: this.#event.codec.decode(envelope.payload) } });
      } catch (error) {
        await this.#deadLetter(envelope, error);
      }
    }
    try {
      await this.#messages.add(pending);
    } catch (error) {
      if (pending.length === 1 && !isLast) throw error;
      await this.#storeOneByOne(pending, isLast);
    }
    message.ack();
  }

  /** Stores the events of a failed message one by one. @throws the first failure that a redelivery may resolve */
  async #storeOneByOne(pending: readonly Pending<T>[], isLast: boolean): Promise<void> {
    const failures: unknown[] = [];
    for (const one of pending) {
      try {
        await this.#messages.add([one]);
      } catch (error) {
        // After a transient failure the owner sends the event again.
        if (isLast && !isTransient(error)) await this.#deadLetter(one.envelope, error);
        else failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  async #deadLetter(envelope: Envelope, error: unknown): Promise<void> {
    this.#log.error(
      { err: error, subject: this.#event.subject, event: envelope.id },
      'event could not be stored, moved to the dead-letter stream',
    );
    await this.#bus.publishDead(this.#event.subject, envelope);
    // Confirmed although not stored: the owner would send the event again with the same result.
    this.#bus.confirm(this.#event.owner, this.#consumer, [envelope.id]);
  }

  async #storeAll(pending: readonly Pending<T>[]): Promise<void> {
    const startedAtMs = performance.now();
    const labels = { service: this.#consumer, name: this.#event.subject };
    const spans = pending.map(({ envelope }) =>
      tracer.startSpan(
        `${this.#event.subject} ${this.#consumer}`,
        { kind: SpanKind.CONSUMER },
        contextOf(envelope.trace),
      ),
    );
    try {
      await this.#store(pending.map(({ received }) => received));
      this.#bus.confirm(
        this.#event.owner,
        this.#consumer,
        pending.map(({ envelope }) => envelope.id),
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
}
