import type { JsMsg } from '@nats-io/jetstream';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { EventDefinition } from '@tidemark/contracts';
import { type Envelope, EventBatch } from '@tidemark/contracts/bus/v1/bus';
import { AppError } from '@tidemark/errors';
import type { Bus } from './bus.ts';
import { Coalescer } from './coalesce.ts';
import type { Logger } from './logger.ts';
import { isDatabaseUnavailable } from './postgres.ts';
import { redMetrics, tracer } from './telemetry.ts';
import { contextOf } from './trace-context.ts';

/** Times a message is delivered before what can't be stored of it is set aside. */
export const MAX_DELIVERIES = 5;
const observe = redMetrics('bus_consumer');

const isTransient = (error: unknown): boolean =>
  error instanceof AppError ? error.code === 'unavailable' : isDatabaseUnavailable(error);

/** A fact as its consumer gets it. */
export interface ReceivedEvent<T> {
  readonly id: string;
  readonly event: T;
}

interface Pending<T> {
  readonly envelope: Envelope;
  readonly delivered: ReceivedEvent<T>;
}

/** Stores the facts of one subject for one consumer: many messages together, and one by one where some of them can't be stored. */
export class EventConsumer<T> {
  readonly #bus: Bus;
  readonly #event: EventDefinition<T>;
  readonly #consumer: string;
  readonly #store: (batch: readonly ReceivedEvent<T>[]) => Promise<void>;
  readonly #log: Logger;
  readonly #messages: Coalescer<readonly Pending<T>[], undefined>;

  constructor(
    bus: Bus,
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
      { maxBatch: 100, everyMs: event.batchMs },
    );
  }

  /** Takes a message off the bus: acknowledged when all of its facts are stored or set aside. */
  take(message: JsMsg): void {
    this.#handle(message).catch((error: unknown) => {
      this.#log.warn({ err: error, subject: message.subject }, 'facts could not be stored; they come again');
      message.nak(this.#bus.retryDelayMs(message.info.deliveryCount));
    });
  }

  async #handle(message: JsMsg): Promise<void> {
    const { events } = EventBatch.decode(message.data);
    const isLast = message.info.deliveryCount >= MAX_DELIVERIES;
    const pending: Pending<T>[] = [];
    for (const envelope of events) {
      try {
        pending.push({ envelope, delivered: { id: envelope.id, event: this.#event.codec.decode(envelope.payload) } });
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

  /** Stores what can be stored of a message that failed as a whole. @throws where something failed that is worth another try */
  async #storeOneByOne(pending: readonly Pending<T>[], isLast: boolean): Promise<void> {
    const failures: unknown[] = [];
    for (const one of pending) {
      try {
        await this.#messages.add([one]);
      } catch (error) {
        // What only waits for the database to come back stays its owner's to send again.
        if (isLast && !isTransient(error)) await this.#deadLetter(one.envelope, error);
        else failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  async #deadLetter(envelope: Envelope, error: unknown): Promise<void> {
    this.#log.error(
      { err: error, subject: this.#event.subject, event: envelope.id },
      'a fact can not be stored; it is kept in the dead-letter stream',
    );
    await this.#bus.publishDead(this.#event.subject, envelope);
    // Its owner is told all the same: sending it again would end here again.
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
      await this.#store(pending.map(({ delivered }) => delivered));
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
