import type { StatesAfter, Transitions } from '@tidemark/sql/transitions';

/** Where the rows of a sync come from. */
export type SourceKind = 'run' | 'crawl' | 'batch' | 'scrape';
/** `automatic`: a run finished. `manual`: a user started it. `resume`: its destination was resumed. `request`: a scrape, batch or crawl named it. */
export type SyncTrigger = 'automatic' | 'manual' | 'resume' | 'request';
export type SyncStatus = 'queued' | 'running' | 'done' | 'error' | 'cancelled' | 'skipped';

/**
 * The state machine of a sync, which begins as `queued`. A claim whose lease has expired is repeated. Statements take both sides of a transition
 * from here.
 */
export const SYNC_TRANSITIONS = {
  claim: { from: ['queued', 'running'], to: 'running' },
  /** The attempt failed and is repeated, or it is put back. */
  release: { from: ['running'], to: 'queued' },
  finish: { from: ['running'], to: 'done' },
  /** The attempt failed for good. */
  fail: { from: ['running'], to: 'error' },
  /** A user cancelled it, its destination was paused or its project or workspace is gone. */
  cancel: { from: ['queued', 'running'], to: 'cancelled' },
  /** A newer run of its destination is written instead. */
  skip: { from: ['queued', 'running'], to: 'skipped' },
} as const satisfies Transitions<SyncStatus>;

/** The states of a sync that has not ended. */
export const OPEN_STATES = SYNC_TRANSITIONS.cancel.from;

/** The state that the end of an attempt leads to. */
export type EndedStatus = Exclude<StatesAfter<typeof SYNC_TRANSITIONS, 'running'>, 'queued' | 'running'>;

/** A failure as it is stored and shown. */
export interface SyncFailure {
  readonly code: 'temporary' | 'refused' | 'invalid' | 'not_found' | 'internal';
  readonly message: string;
  /** What the user can do. */
  readonly hint: string;
}

/** A run or job that is to be written. */
export interface SyncSubject {
  readonly projectId: string;
  readonly sourceKind: SourceKind;
  readonly sourceId: string;
  readonly runAt: Date;
  readonly isFullRun: boolean;
  /** Pages of a scrape or a batch, all of which must be read; 0: not known. */
  readonly pages: number;
}

/** One write of a run or a job to a destination. */
export interface Sync extends SyncSubject {
  readonly id: string;
  readonly workspaceId: string;
  readonly destinationId: string;
  readonly dataset: string;
  readonly mode: string;
  readonly trigger: SyncTrigger;
  readonly status: SyncStatus;
  /** Attempts in a row that were interrupted. */
  readonly interruptions: number;
  readonly attempts: number;
  readonly read: number;
  readonly written: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly skipped: number;
  readonly bytes: number;
  readonly location: string;
  readonly warnings: readonly string[];
  readonly failure: SyncFailure | undefined;
  readonly requestId: string;
  /** When a queued sync is due. */
  readonly dueAt: Date;
  readonly createdAt: Date;
  readonly startedAt: Date | undefined;
  readonly endedAt: Date | undefined;
}

export const isEnded = ({ status }: Pick<Sync, 'status'>): boolean => status !== 'queued' && status !== 'running';

/** What a sync needs of the change record of its run. */
export interface RunRecord {
  /** The run covers its site, so that a page it does not have is gone. */
  readonly isWholeSite: boolean;
  readonly warning: string | undefined;
}
