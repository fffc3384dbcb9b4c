import type { ChangeDigestText } from '@tidemark/api';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { Entry, Record } from '@tidemark/contracts/diff/v1/diff';
import type { SiteHealthChanged } from '@tidemark/contracts/projects/v1/events';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import type pg from 'pg';
import type { NewMessage, ReceiverOf } from '../domain/new-message.ts';

/** What a model said of a record. */
export type Digest = ChangeDigestText;

/** A run that is about to be told of: what it brought, and whom its project tells. */
export interface RunToTell {
  readonly kind: 'run';
  readonly workspaceId: string;
  readonly channels: Channels;
  readonly run: RunFinished;
  /** Absent: none was made in time, or making it failed. */
  readonly record: Record | undefined;
  /** The first of its entries that changed, in their order; ENTRIES_SHOWN at most, ENTRIES_DIGESTED where a model may be asked. */
  readonly entries: readonly Entry[];
}

/** A run with what a model said of its record; null: none was asked, or it had nothing to say. */
export interface RunTold extends RunToTell {
  readonly digest: Digest | null;
}

/** A site that has begun to fail, or has recovered. */
export interface HealthTold {
  readonly kind: 'monitor';
  readonly workspaceId: string;
  readonly channels: Channels;
  readonly change: SiteHealthChanged;
}

/** Entries of a record that people are shown some of, and those a model is told of. */
export const ENTRIES_SHOWN = 20;
export const ENTRIES_DIGESTED = 100;

/** How people are told. Each decides by itself whether there is something to report; what is told twice has the same keys. */
export interface People {
  /** What is known of a run's digest without asking; null: it has none. undefined: a model is to be asked. */
  knownDigest(told: RunToTell): Digest | null | undefined;
  /** Asks a model. Bounded in time, by `withinMs` too, and never throws; null where it does not answer with a digest. */
  composeDigest(told: RunToTell, withinMs: number): Promise<Digest | null>;
  /** To the project's chat channel; none without one. */
  chatMessages(told: RunTold | HealthTold): readonly NewMessage[];
  /** One for each of notify_emails; none where no mail host is configured. */
  mailMessages(told: RunTold | HealthTold): readonly NewMessage[];
  /** Kept in the transaction of the messages, where no mail host is configured. */
  keepNotices(client: pg.PoolClient, told: RunTold | HealthTold): Promise<void>;
}

/** The part of the queue that tellings need: messages and the places they were told up to are kept in one transaction. */
export interface Queue {
  /** @returns the lanes they wait in, to be woken after the commit */
  enqueue(client: pg.PoolClient, messages: readonly NewMessage[]): Promise<readonly string[]>;
  /** Keeps where the webhooks of jobs are and what they are signed with, before there is anything to send to them. Safe to repeat. */
  keepReceivers(client: pg.PoolClient, receivers: readonly ReceiverOf[]): Promise<void>;
  /** A receiver that was kept. */
  openReceiver(id: string): Promise<ReceiverOf | undefined>;
  /** There may be something to send in these lanes. */
  wake(lanes: readonly string[]): void;
}
