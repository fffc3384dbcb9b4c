import type { CaptureOptions } from './capture-options.ts';

export type { CaptureOptions } from './capture-options.ts';

export const JOB_KINDS = ['scrape', 'batch', 'playground'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export type JobStatus = 'queued' | 'running' | 'done' | 'error' | 'cancelled';

/** The durable intent to read one page, and what came of it. */
export interface Job {
  readonly id: string;
  readonly workspaceId: string;
  /** The page's id, and what it is charged under: the same for every attempt. */
  readonly captureId: string;
  /** A single page, a batch of them, or a page looked at closely. */
  readonly kind: JobKind;
  readonly status: JobStatus;
  readonly url: string;
  readonly options: CaptureOptions;
  readonly requestId: string;
  readonly attempts: number;
  readonly credits: number;
  /** Pages that have ended, of so many in all. */
  readonly pages: number;
  readonly total: number;
  readonly error: string | undefined;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
}

export const isFinished = (status: JobStatus): boolean =>
  status === 'done' || status === 'error' || status === 'cancelled';
