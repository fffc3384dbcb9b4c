import type { Method, RobotsFacts, Stop, Totals } from './tree.ts';

export const SITEMAP_MODES = ['auto', 'only', 'skip'] as const;
export type SitemapMode = (typeof SITEMAP_MODES)[number];

export interface MapOptions {
  readonly search: string;
  readonly limit: number;
  readonly sitemapMode: SitemapMode;
  readonly allowSubdomains: boolean;
  /** Part of a crawl: costs nothing of its own. */
  readonly forCrawl: boolean;
}

export type JobStatus = 'queued' | 'running' | 'done' | 'error';

/** The durable intent to map one site, and what came of it. */
export interface Job {
  readonly id: string;
  readonly workspaceId: string;
  /** What its files are charged under: the same for every attempt. */
  readonly chargeId: string;
  readonly status: JobStatus;
  readonly url: string;
  readonly site: string;
  readonly options: MapOptions;
  readonly requestId: string;
  readonly attempts: number;
  readonly credits: number;
  readonly done: number;
  readonly total: number;
  readonly error: string | undefined;
  readonly stop: Stop | undefined;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
  readonly method: Method | '';
  readonly totals: Totals;
  readonly robots: RobotsFacts | undefined;
  readonly rows: number;
  readonly rowBlobs: readonly string[];
}

export const NO_TOTALS: Totals = { files: 0, urls: 0, indexes: 0, blocked: 0 };

/** Attempts after which a job that keeps failing for reasons of ours ends in `error`. */
export const MAX_ATTEMPTS = 5;
const RETRY_SECONDS = [1, 5, 15, 30];

/** Seconds until the next attempt, by attempts made. */
export const retryInSeconds = (attempts: number): number => RETRY_SECONDS[attempts - 1] ?? 30;

export const isFinished = (status: JobStatus): boolean => status === 'done' || status === 'error';
