import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { AlertMatch, Entry, Record } from '@tidemark/contracts/diff/v1/diff';
import type { Sync } from '@tidemark/contracts/export/v1/destinations';
import type { SyncEnded } from '@tidemark/contracts/export/v1/events';
import type { SiteHealthChanged } from '@tidemark/contracts/projects/v1/events';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import type { ChangeDigestText } from '@tidemark/results';

/** A model's summary of a record. */
export type Digest = ChangeDigestText;

/** A finished run with its record and its project's channels. */
export interface FinishedRun {
  readonly kind: 'run';
  readonly workspaceId: string;
  readonly channels: Channels;
  readonly run: RunFinished;
  /** Absent: none was made in time, or making it failed. */
  readonly record: Record | undefined;
  /** The first changed entries, in order: at most ENTRIES_SHOWN, or ENTRIES_DIGESTED where a model may be called. */
  readonly entries: readonly Entry[];
}

/** A finished run with its digest; null: it has none. */
export interface RunNotification extends FinishedRun {
  readonly digest: Digest | null;
}

/** A site whose runs fail, or work again. */
export interface SiteHealthNotification {
  readonly kind: 'monitor';
  readonly workspaceId: string;
  readonly channels: Channels;
  readonly change: SiteHealthChanged;
}

/** A sync of a project's run that was written, or failed for good. */
export interface SyncNotification {
  readonly kind: 'sync';
  readonly workspaceId: string;
  readonly channels: Channels;
  readonly ended: SyncEnded;
  readonly sync: Sync;
}

/** Changes that alert rules match, to be sent through one channel. */
export interface AlertNotification {
  readonly kind: 'alert';
  readonly workspaceId: string;
  readonly channels: Channels;
  /** Idempotency key. */
  readonly key: string;
  /** The run of all matches; empty: they are of several. */
  readonly runId: string;
  readonly at: Date;
  /** In the order of the record. */
  readonly matches: readonly AlertMatch[];
}

/** Entries read for messages, and for the prompt of a model. */
export const ENTRIES_SHOWN = 20;
export const ENTRIES_DIGESTED = 100;

/** What a project is notified of. */
export type Notification = RunNotification | AlertNotification | SiteHealthNotification | SyncNotification;
