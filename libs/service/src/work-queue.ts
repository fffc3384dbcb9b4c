import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import type { Work } from '@tidemark/contracts';
import { messageOf } from '@tidemark/errors';
import type { Logger } from './logger.ts';
import { memoryGuard } from './memory-guard.ts';

/** Maximum wait of one pull request, ms. */
const PULL_MS = 2_000;
const RETRY_MS = 500;
/** Wait of a process near its memory limit before the next pull, and delay of an item that it returns, ms. */
const FULL_PAUSE_MS = 200;
const RETURN_MS = 1_000;

export interface WorkerOptions {
  /** Maximum number of items processed concurrently by this process. */
  readonly slots: number;
  /** Whether a message may have been delivered before. */
  readonly isRedelivered: (message: JsMsg) => boolean;
  readonly log: Logger;
}

/**
 * Pulls items from a queue while slots and memory are free and extends their acknowledgement deadline while they are processed. The items of a
 * killed worker are redelivered after the queue's `ackWaitSeconds`. Handlers must be idempotent.
 */
export class Worker<T> {
  readonly #work: Work<T>;
  readonly #consumer: () => Promise<Consumer>;
  readonly #options: WorkerOptions;
  readonly #handle: (item: T, isRedelivered: boolean) => Promise<void>;
  readonly #inProgress = new Set<Promise<void>>();
  #closing = false;

  constructor(
    work: Work<T>,
    consumer: () => Promise<Consumer>,
    handle: (item: T, isRedelivered: boolean) => Promise<void>,
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
          'work items could not be pulled, will retry',
        );
        await sleep(RETRY_MS);
      }
    }
  }

  async #pull(consumer: Consumer): Promise<void> {
    const free = this.#options.slots - this.#inProgress.size;
    if (free <= 0) {
      await Promise.race(this.#inProgress);
      return;
    }
    // Near the memory limit, items are left to other processes, or to this one later.
    if (memoryGuard.isFull) return void (await sleep(FULL_PAUSE_MS));
    const messages = await consumer.fetch({ max_messages: free, expires: PULL_MS });
    for await (const message of messages) {
      if (memoryGuard.isFull) message.nak(RETURN_MS);
      else this.#start(message);
    }
  }

  #start(message: JsMsg): void {
    const done: Promise<void> = this.#do(message).finally(() => this.#inProgress.delete(done));
    this.#inProgress.add(done);
  }

  async #do(message: JsMsg): Promise<void> {
    const extension = setInterval(() => message.working(), (this.#work.ackWaitSeconds * 1000) / 3);
    try {
      await this.#handle(this.#work.codec.decode(message.data), this.#options.isRedelivered(message));
      message.ack();
    } catch (error) {
      this.#options.log.warn(
        { err: error, subject: this.#work.subject },
        `work item failed, it will be redelivered: ${messageOf(error)}`,
      );
      message.nak(1_000);
    } finally {
      clearInterval(extension);
    }
  }

  /** Pulls no more items. Items in progress continue until the connection closes, after which they are redelivered. */
  close(): void {
    this.#closing = true;
  }
}
