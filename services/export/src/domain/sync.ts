/** Where the rows of a sync come from. */
export type SourceKind = 'run' | 'crawl' | 'batch' | 'scrape';
/** `automatic`: a run finished. `manual`: a user started it. `resume`: its destination was resumed. `request`: a scrape, batch or crawl named it. */
export type SyncTrigger = 'automatic' | 'manual' | 'resume' | 'request';
export type SyncStatus = 'queued' | 'running' | 'done' | 'error' | 'cancelled' | 'skipped';

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
