import type { Consumer, JsMsg } from '@nats-io/jetstream';
import type { Work } from '@tidemark/contracts';
import { messageOf } from '@tidemark/errors';
import type { Logger } from './logger.ts';

/** Milliseconds one pull waits for work. */
const PULL_MS = 2_000;
const RETRY_MS = 500;

export interface WorkerOptions {
  /** Pieces of work done at once by this process. */
  readonly slots: number;
  /** Whether a message may have been delivered before. */
  readonly isRedelivered: (message: JsMsg) => boolean;
  readonly log: Logger;
}

/**
 * Takes work off a queue while there are hands free, and keeps it as long as it is being done: a piece whose worker dies is given to
 * another after the queue's `ackWaitSeconds`. What is done twice must change nothing.
 */
export class Worker<T> {
  readonly #work: Work<T>;
  readonly #consumer: () => Promise<Consumer>;
  readonly #options: WorkerOptions;
  readonly #handle: (piece: T, isRedelivered: boolean) => Promise<void>;
  readonly #doing = new Set<Promise<void>>();
  #closing = false;

  constructor(
    work: Work<T>,
    consumer: () => Promise<Consumer>,
    handle: (piece: T, isRedelivered: boolean) => Promise<void>,
    options: WorkerOptions,
  ) {
    this.#work = work;
    this.#consumer = consumer;
    this.#handle = handle;
    this.#options = options;
    void this.#pullForever();
  }

  async #pullForever(): Promise<void> {
    while (!this.#closing) {
      try {
        const consumer = await this.#consumer();
        while (!this.#closing) await this.#pull(consumer);
      } catch (error) {
        if (this.#closing) return;
        this.#options.log.warn(
          { err: error, subject: this.#work.subject },
          'work could not be asked for; trying again',
        );
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #pull(consumer: Consumer): Promise<void> {
    const free = this.#options.slots - this.#doing.size;
    if (free <= 0) {
      await Promise.race(this.#doing);
      return;
    }
    const messages = await consumer.fetch({ max_messages: free, expires: PULL_MS });
    for await (const message of messages) this.#begin(message);
  }

  #begin(message: JsMsg): void {
    const done: Promise<void> = this.#do(message).finally(() => this.#doing.delete(done));
    this.#doing.add(done);
  }

  async #do(message: JsMsg): Promise<void> {
    const stillAt = setInterval(() => message.working(), (this.#work.ackWaitSeconds * 1000) / 3);
    try {
      await this.#handle(this.#work.codec.decode(message.data), this.#options.isRedelivered(message));
      message.ack();
    } catch (error) {
      this.#options.log.warn(
        { err: error, subject: this.#work.subject },
        `a piece of work failed: ${messageOf(error)}`,
      );
      message.nak(1_000);
    } finally {
      clearInterval(stillAt);
    }
  }

  /** Takes no more; what is under way goes on until the connection closes, and then to another. */
  close(): void {
    this.#closing = true;
  }
}
