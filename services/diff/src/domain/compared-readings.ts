import type { PageReading } from './page-reading.ts';

/** Refers to a stored capture of a page. */
export type CaptureRef = Pick<PageReading, 'runId' | 'pageId'>;

/** Two stored readings of one page, to be compared. */
export interface ComparedReadings {
  readonly projectId: string;
  readonly url: string;
  /** The earlier reading; absent: the page did not exist. */
  readonly before: CaptureRef | undefined;
  /** The later reading; absent: the page does not exist any more. */
  readonly after: CaptureRef | undefined;
}
