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
  /** The project its tree is a snapshot for; empty: none. */
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
  readonly method: Method | '';
  readonly totals: Totals;
  readonly robots: RobotsFacts | undefined;
  readonly rows: number;
  readonly rowBlobs: readonly string[];
}

export const NO_TOTALS: Totals = { files: 0, urls: 0, indexes: 0, blocked: 0 };

export const isFinished = (status: JobStatus): boolean => status === 'done' || status === 'error';

/** Whether its tree is kept as a snapshot: one that a crawl reads for itself alone goes with the crawl. */
export const makesSnapshot = ({ status, method, projectId, options }: Job): boolean =>
  status === 'done' && (method === 'sitemap' || method === 'feed') && (projectId !== '' || !options.forCrawl);
