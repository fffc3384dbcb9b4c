import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { Entry, Record } from '@tidemark/contracts/diff/v1/diff';
import type { SiteHealthChanged } from '@tidemark/contracts/projects/v1/events';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import type pg from 'pg';
import type { NewMessage, ReceiverOf } from '../domain/new-message.ts';

/** What a model said of a record. */
export interface Digest {
  readonly summary: string;
  /** Five at most. */
  readonly points: readonly string[];
  readonly significant: boolean;
}

/** A run that is about to be told of: what it brought, and whom its project tells. */
export interface RunToTell {
  readonly kind: 'run';
  readonly workspaceId: string;
  readonly channels: Channels;
  readonly run: RunFinished;
  /** Absent: none was made in time, or making it failed. */
  readonly record: Record | undefined;
  /** The first of its entries, in their order; ENTRIES_SHOWN at most. */
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

/** Entries of a record that people are shown. */
export const ENTRIES_SHOWN = 20;

/** How people are told. Each decides by itself whether there is something to report; what is told twice has the same keys. */
export interface People {
  /** Bounded in time, never throws; null at once where the project wants none, or there is nothing in the record. */
  composeDigest(told: RunToTell): Promise<Digest | null>;
  /** To the project's chat channel; none without one. */
  chatMessages(told: RunTold | HealthTold): readonly NewMessage[];
  /** One for each of notify_emails; none where no mail host is configured. */
  mailMessages(told: RunTold | HealthTold): readonly NewMessage[];
  /** Kept in the transaction of the messages, where no mail host is configured. */
  keepNotices(client: pg.PoolClient, told: RunTold | HealthTold): Promise<void>;
}

/** The part of the queue that tellings need: messages and the places they were told up to are kept in one transaction. */
export interface Queue {
  enqueue(client: pg.PoolClient, messages: readonly NewMessage[]): Promise<void>;
  /** Keeps where a job's webhook is and what it is signed with, before there is anything to tell it. */
  keepReceiver(client: pg.PoolClient, receiver: ReceiverOf): Promise<void>;
  /** A receiver that was kept. */
  openReceiver(id: string): Promise<ReceiverOf | undefined>;
  /** Something may be there to be sent. */
  wake(): void;
}
