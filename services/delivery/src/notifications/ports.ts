import type pg from 'pg';
import type { MessageReceiver, NewMessage } from '../domain/new-message.ts';
import type { Digest, FinishedRun, Notification } from './notification.ts';

/**
 * Messages to the people of a project. Each method decides by itself whether there is something to report. The same notification always
 * yields the same message keys.
 */
export interface MemberMessages {
  /** Returns the digest that is known without calling a model; null: the run has none. undefined: a model is to be called. */
  knownDigest(run: FinishedRun): Digest | null | undefined;
  /** Calls a model, for `withinMs` at most. Never throws; null where no digest is returned. */
  composeDigest(run: FinishedRun, withinMs: number): Promise<Digest | null>;
  /** Builds the message to the project's chat channel; none without one. */
  chatMessages(notification: Notification): readonly NewMessage[];
  /** Builds one mail for each of notify_emails; none where no mail host is configured. */
  mailMessages(notification: Notification): readonly NewMessage[];
  /** Stores a notice in the transaction of the messages, where no mail host is configured. */
  storeNotice(client: pg.PoolClient, notification: Notification): Promise<void>;
}

/** The part of the delivery queue that event handlers need: messages and progress are written in one transaction. */
export interface MessageQueue {
  /** @returns the keys of the receiver queues used, to be woken after the commit */
  enqueue(client: pg.PoolClient, messages: readonly NewMessage[]): Promise<readonly string[]>;
  /** Stores the address and secret of job webhooks before there is anything to send to them. Idempotent. */
  upsertReceivers(client: pg.PoolClient, receivers: readonly MessageReceiver[]): Promise<void>;
  /** Returns a stored receiver, its secret still sealed. */
  openReceiver(id: string): Promise<MessageReceiver | undefined>;
  /** Starts sending from these receiver queues. */
  wake(queueKeys: readonly string[]): void;
}
