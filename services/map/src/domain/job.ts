import type { JobStatus } from '@tidemark/contracts/job/v1/job';
import type { Method, RobotsReport, Stop, Totals } from './tree.ts';

export const SITEMAP_MODES = ['auto', 'only', 'skip'] as const;
export type SitemapMode = (typeof SITEMAP_MODES)[number];

export interface MapOptions {
  readonly search: string;
  readonly limit: number;
  readonly sitemapMode: SitemapMode;
  readonly allowSubdomains: boolean;
  /** The map is part of a crawl and is not charged. */
  readonly forCrawl: boolean;
  /** A URL gives a row for each file that lists it. */
  readonly perFile?: boolean | undefined;
}

export type { JobStatus };

/** A map job: the durable request to map one site, and its result. */
export interface MapJob {
  readonly id: string;
  readonly workspaceId: string;
  /** The key or person that started it; empty: a crawl. */
  readonly actorId: string;
  /** Id under which the map's files are charged; the same in every attempt. */
  readonly chargeId: string;
  readonly status: JobStatus;
  readonly url: string;
  readonly site: string;
  /** Project that gets the tree as a snapshot; empty: none. */
  readonly projectId: string;
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
  readonly method: Method | undefined;
  readonly totals: Totals;
  readonly robots: RobotsReport | undefined;
  readonly rows: number;
  /** SHA-256 of the row documents, in order. */
  readonly rowBlobs: readonly string[];
}

export const NO_TOTALS: Totals = { files: 0, urls: 0, indexes: 0, blocked: 0 };

export const isFinished = (status: JobStatus): boolean =>
  status === 'done' || status === 'error' || status === 'cancelled';

/** Returns whether the tree of a job is stored as a snapshot. The tree of a crawl without a project is not. */
export const createsSnapshot = ({ status, method, projectId, options }: MapJob): boolean =>
  status === 'done' && (method === 'sitemap' || method === 'feed') && (projectId !== '' || !options.forCrawl);
