import type { CaptureOptions } from './capture-options.ts';

export type { CaptureOptions } from './capture-options.ts';

export const JOB_KINDS = ['scrape', 'batch', 'playground'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export type JobStatus = 'queued' | 'running' | 'done' | 'error' | 'cancelled';

/** The durable request to capture pages, and its result. */
export interface ScrapeJob {
  readonly id: string;
  readonly workspaceId: string;
  /** The key or person that started it: key_… or usr_…. */
  readonly actorId: string;
  /** The id of the page row, also used for its charge: the same for every attempt. */
  readonly captureId: string;
  /** A single page, a batch, or a page of the playground. */
  readonly kind: JobKind;
  readonly status: JobStatus;
  readonly url: string;
  readonly options: CaptureOptions;
  readonly requestId: string;
  readonly attempts: number;
  readonly credits: number;
  /** Completed pages, and the total. */
  readonly pages: number;
  readonly total: number;
  /** Inputs of a batch that another input's page answers. */
  readonly duplicates: number;
  /** The destination that its page is written to. */
  readonly destinationId: string | undefined;
  readonly error: string | undefined;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
}

export const isFinished = (status: JobStatus): boolean =>
  status === 'done' || status === 'error' || status === 'cancelled';
