/** One address a file declares. */
export interface Entry {
  /** As addresses are compared. */
  readonly url: string;
  /** As the file says it; empty: it doesn't. */
  readonly lastmod: string;
  readonly changefreq: string;
}

export type FileKind = 'sitemap' | 'index' | 'text' | 'feed' | '';
/** read; partial: what could be read is kept; blocked: refused, or a page in its place; skipped: not asked for, and why. */
export type FileVerdict = 'read' | 'partial' | 'blocked' | 'missing' | 'failed' | 'skipped';
/** What names a file first. */
export type FoundBy = 'asked' | 'robots' | 'index' | 'home' | 'guess';

/** One file of a site's tree, and how reading it went. */
export interface SiteFile {
  readonly url: string;
  readonly parent: string;
  readonly foundBy: FoundBy;
  readonly kind: FileKind;
  readonly verdict: FileVerdict;
  readonly httpStatus: number;
  /** Unpacked. */
  readonly bytes: number;
  /** Addresses, or files of an index. */
  readonly urls: number;
  readonly alternates: number;
  readonly foreign: number;
  readonly section: string;
  readonly lastmodFrom: string;
  readonly lastmodTo: string;
  readonly error: string;
  /** SHA-256 of the sorted entries. */
  readonly entries: string;
}

export interface Totals {
  readonly files: number;
  readonly urls: number;
  readonly indexes: number;
  readonly blocked: number;
}

export interface RobotsFacts {
  readonly status: number;
  readonly found: boolean;
  readonly allowed: boolean;
  readonly sitemaps: readonly string[];
  readonly crawlDelay: number | undefined;
  readonly reason: string;
}

export type Method = 'sitemap' | 'feed' | 'links' | 'none';
export type Source = 'sitemap' | 'feed' | 'link';
export type Stop = 'credit_limit' | 'page_limit' | 'time_limit' | 'site_down';

export interface Row extends Entry {
  readonly source: Source;
  readonly file: string;
  readonly section: string;
}

/** What a finished map says beside its rows. */
export interface Findings {
  readonly files: readonly SiteFile[];
  readonly totals: Totals;
  readonly robots: RobotsFacts;
  readonly method: Method;
  readonly stop: Stop | undefined;
  readonly error: string | undefined;
}

/** Whether a file gave something, which is what a credit is paid for. */
export const isRead = ({ verdict }: Pick<SiteFile, 'verdict'>): boolean => verdict === 'read' || verdict === 'partial';

/** Whether nothing of a tree was left unread. */
export const isWhole = (stop: Stop | undefined, files: readonly Pick<SiteFile, 'verdict'>[]): boolean =>
  stop === undefined && files.every(({ verdict }) => verdict === 'read');
