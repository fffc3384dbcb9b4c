import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { Product } from '@tidemark/contracts/page/v1/product';

/** One page as captured by one run: the parts of its row that records use. */
export interface PageReading {
  readonly pageKey: string;
  /** Final URL after redirects. */
  readonly url: string;
  /** Keys of the requested URL and of the redirects before the final URL, without the page's own key. */
  readonly requestedKeys: readonly string[];
  readonly runId: string;
  /** Id of the capture. */
  readonly pageId: string;
  readonly httpStatus: number;
  readonly verdict: string;
  readonly errorCode: string;
  readonly signals: readonly string[];
  readonly title: string;
  readonly words: number;
  readonly language: string;
  readonly method: string;
  /** Captured through an exit. */
  readonly isThroughExit?: true;
  /** Time of the fetch; absent: unknown. */
  readonly fetchedAtMs?: number;
  /** Hash over the blocks of the main content; empty: the page has no stored blocks. */
  readonly contentHash: string;
  /**
   * Hash over everything that is compared: content, head, extracted fields. Empty: unknown, the content must be loaded.
   */
  readonly comparedHash: string;
  readonly blocksVersion: number;
  readonly contentVariantKey: string;
  /** Hash of the configured rules that select blocks; absent: unknown. */
  readonly blockRulesKey?: string;
  /** A feed, a sitemap or another file for machines, which the configuration does not name. */
  readonly isMachineRead?: true;
  /** Recaptured for verification: the archive has no capture of it. */
  readonly isRecaptured?: true;
  /** Number of links to the page; set after the run has ended. */
  readonly inLinks?: number;
  /** Last modification by the sitemap, epoch ms. */
  readonly lastModifiedMs?: number;
}

/** Values that a language model extracted from a page. */
export interface ExtractedValues {
  /** Of the schema, the prompt and the model: values with different keys are not comparable. */
  readonly key: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Content that is loaded only if the page may have changed. */
export interface PageContent {
  readonly blocks: PageBlocks;
  /** Values extracted by the project's `fields`, by name. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Values that a language model extracted; absent: none, or that failed. */
  readonly extracted?: ExtractedValues | undefined;
  /** Absent: the page is not about a product, or that is not known. */
  readonly product?: Product | undefined;
}

/**
 * State of a page after the baseline. `read`: the last run that reached it could read it. `stale`: that run could not
 * read it, and an older good reading exists. `unread`: never readable. `gone`: reported as removed.
 */
export interface KnownPage {
  readonly pageKey: string;
  readonly url: string;
  readonly state: 'read' | 'stale' | 'unread' | 'gone';
  /** The last good reading, of any run. */
  readonly lastGood?: PageReading;
  /** Verdict label of the last run that reached it. */
  readonly lastVerdict: string;
  /** Status of the last response; absent: none, or a page that was stored before it was kept. */
  readonly lastStatus?: number;
  /** Number of consecutive runs in which it looked removed. */
  readonly absences: number;
  /** The last readings are in another language or by another engine than the last good one; absent: none is. */
  readonly variant?: PageVariant;
}

/** Another form of a page, and the number of consecutive readings in it. */
export interface PageVariant {
  /** Language and engine. */
  readonly key: string;
  readonly readings: number;
}

/** What a run observed of a page: the columns of the outcome table. */
export type Observation =
  | 'machine_read'
  | 'read'
  | 'missing'
  | 'soft_missing'
  | 'unreadable'
  | 'robots'
  | 'skipped'
  | 'unreached';

/** State of a page before the run: the rows of the outcome table. */
export type PriorState = KnownPage['state'] | 'absent';

/** Returns the primary subtag of a language, as in `en` of `en-GB`. */
export const primaryLanguage = ({ language }: Pick<PageReading, 'language'>): string => language.split('-', 1)[0] ?? '';

/** Classifies a reading. NOT_FOUND with status 404 or 410 is `missing`; with another status it is `soft_missing`. */
export function observationOf({ verdict, errorCode, httpStatus, isMachineRead }: PageReading): Observation {
  if (isMachineRead === true) return 'machine_read';
  if (verdict === 'robots' || verdict === 'skipped') return verdict;
  if (verdict === 'blocked') {
    if (errorCode !== 'NOT_FOUND') return 'unreadable';
    return httpStatus === 404 || httpStatus === 410 ? 'missing' : 'soft_missing';
  }
  const isReadable = verdict === 'ok' || verdict === 'thin' || verdict === 'cached';
  return isReadable ? 'read' : 'unreadable';
}

/** Returns the verdict, with the error code of a blocked page. */
export function verdictLabel({ verdict, errorCode }: PageReading): string {
  return verdict === 'blocked' ? `${verdict}: ${errorCode}` : verdict;
}
