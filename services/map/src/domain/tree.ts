import type { FileFinder, FileKind, FileVerdict, MapMethod, RowSource } from '@tidemark/contracts/map/v1/map';

export type { FileFinder as FoundBy, FileKind, FileVerdict, MapMethod as Method, RowSource as Source };

/** One URL listed in a file. */
export interface Entry {
  /** Normalised. */
  readonly url: string;
  /** As written in the file; empty if absent. */
  readonly lastmod: string;
  readonly changefreq: string;
}

/** One file of a site's sitemap tree and the result of reading it. */
export interface SiteFile {
  readonly url: string;
  readonly parent: string;
  readonly foundBy: FileFinder;
  /** Undefined if nothing was read. */
  readonly kind?: FileKind | undefined;
  readonly verdict: FileVerdict;
  readonly httpStatus: number;
  /** After decompression. */
  readonly bytes: number;
  /** Number of URLs, or of files if it is an index. */
  readonly urls: number;
  /** Alternate languages, images and videos; they are not counted as URLs. */
  readonly alternates: number;
  /** URLs of other sites, left out. */
  readonly foreign: number;
  readonly section: string;
  readonly lastmodFrom: string;
  readonly lastmodTo: string;
  readonly error: string;
  /** SHA-256 of its entry document; empty if it has no entries. */
  readonly entries: string;
}

export interface Totals {
  readonly files: number;
  readonly urls: number;
  readonly indexes: number;
  readonly blocked: number;
}

export interface RobotsReport {
  readonly status: number;
  readonly found: boolean;
  readonly allowed: boolean;
  readonly sitemaps: readonly string[];
  readonly crawlDelay: number | undefined;
  readonly reason: string;
}

export const STOPS = ['credit_limit', 'page_limit', 'time_limit', 'site_down', 'refused', 'robots'] as const;
export type Stop = (typeof STOPS)[number];
/** A limit that was reached while files were read. */
export type LimitStop = Exclude<Stop, 'site_down' | 'refused' | 'robots'>;

export interface Row extends Entry {
  readonly source: RowSource;
  readonly file: string;
  readonly section: string;
}

/** Result of a map without its rows. */
export interface Findings {
  readonly files: readonly SiteFile[];
  readonly totals: Totals;
  readonly robots: RobotsReport;
  readonly method: MapMethod;
  readonly stop: Stop | undefined;
  /** Why nothing could be read; undefined: something was, or the site has nothing to read. */
  readonly refusal: Extract<Stop, 'site_down' | 'refused' | 'robots'> | undefined;
  readonly error: string | undefined;
}

/** Returns whether entries of a file could be read. Only such files are charged. */
export const isRead = ({ verdict }: Pick<SiteFile, 'verdict'>): boolean => verdict === 'read' || verdict === 'partial';

/** Returns whether the whole tree was read. */
export const isComplete = (stop: Stop | undefined, files: readonly Pick<SiteFile, 'verdict'>[]): boolean =>
  stop === undefined && files.every(({ verdict }) => verdict === 'read');
