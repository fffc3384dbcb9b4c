import type { ChangeDigestText } from '@tidemark/api';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { Entry, Record } from '@tidemark/contracts/diff/v1/diff';
import type { SiteHealthChanged } from '@tidemark/contracts/projects/v1/events';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';

/** What a model said of a record. */
export type Digest = ChangeDigestText;

/** A run that is about to be told of: what it brought, and whom its project tells. */
export interface FinishedRun {
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
export interface RunNotification extends FinishedRun {
  readonly digest: Digest | null;
}

/** A site that has begun to fail, or has recovered. */
export interface SiteHealthNotification {
  readonly kind: 'monitor';
  readonly workspaceId: string;
  readonly channels: Channels;
  readonly change: SiteHealthChanged;
}

/** Entries of a record that people are shown some of, and those a model is told of. */
export const ENTRIES_SHOWN = 20;
export const ENTRIES_DIGESTED = 100;

/** What a project is notified of. */
export type Notification = RunNotification | SiteHealthNotification;
