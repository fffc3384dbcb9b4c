import type { CaptureOptions } from './capture-options.ts';

/** A job that captures many pages. */
export interface Batch {
  readonly id: string;
  readonly workspaceId: string;
  /** The key or person that started it. */
  readonly actorId: string;
  readonly options: CaptureOptions;
  readonly requestId: string;
  /** Concurrent fetches per host, shared by all jobs of the fleet. */
  readonly concurrency: number;
  /** Minimum time between two fetches of one host, ms. */
  readonly delayMs: number;
  /** URL and secret of its webhook. */
  readonly sealedUrl: Uint8Array | undefined;
  readonly sealedSecret: Uint8Array | undefined;
  /** Events sent in addition to batch.finished. */
  readonly webhookEvents: readonly string[];
  /** Echoed on every message; empty: none. */
  readonly webhookMetadataJson: string | undefined;
  /** The destination that its pages are written to. */
  readonly destinationId: string | undefined;
  readonly createdAt: Date;
}

/** A page of a new batch. */
export interface NewBatchPage {
  readonly captureId: string;
  readonly url: string;
  readonly host: string;
  /** Positions in the caller's list that the page answers, from 0, in ascending order. */
  readonly inputs: readonly number[];
}

/** A batch to be stored with its pages. */
export interface NewBatch {
  readonly batch: Batch;
  readonly pages: readonly NewBatchPage[];
  readonly trace: Readonly<Record<string, string>>;
  readonly idempotency: { readonly route: string; readonly key: string; readonly requestHash: string } | undefined;
}

/** Returns the counters of a batch: its pages by verdict, and the duplicates among its inputs. */
export const batchCounts = (
  byVerdict: Readonly<Record<string, number>>,
  duplicates: number,
): Record<string, number> => ({
  ...byVerdict,
  ...(duplicates > 0 ? { duplicates } : {}),
});

/** One claimed page of a batch. */
export interface BatchPage {
  readonly captureId: string;
  readonly jobId: string;
  readonly host: string;
  readonly url: string;
  readonly attempts: number;
  /** Number of times the page was returned to the queue because its host was held. */
  readonly held: number;
}
