import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';

/** One page as one run read it: what a record needs of its row. */
export interface PageReading {
  readonly pageKey: string;
  /** Where the page landed. */
  readonly url: string;
  /** The keys under which it was asked for and from which it was redirected, where they are not its own. */
  readonly requestedKeys: readonly string[];
  readonly runId: string;
  /** The capture. */
  readonly pageId: string;
  readonly httpStatus: number;
  readonly verdict: string;
  readonly errorCode: string;
  readonly signals: readonly string[];
  readonly title: string;
  readonly spec: number;
  readonly language: string;
  readonly method: string;
  /** Read through an exit, as somebody elsewhere. */
  readonly isThroughExit?: true;
  /** When it was fetched; absent: not known. */
  readonly fetchedAtMs?: number;
  /** Hash over the blocks of its main content; empty: no blocks were cut. */
  readonly contentHash: string;
  /** Hash over all that makes a page a changed one: its content, its head, its extracted fields. Empty: not known, and it has to be opened. */
  readonly comparedHash: string;
  readonly blocksVersion: number;
  readonly contentVariantKey: string;
  /** By which of the configuration's rules its blocks were cut; absent: not known. */
  readonly blockRulesKey?: string;
  /** A second look's: no capture holds it. */
  readonly isRecaptured?: true;
  /** Known once the run has ended. */
  readonly inLinks?: number;
  /** What a sitemap says of its last change, in ms. */
  readonly lastModifiedMs?: number;
}

/** What is opened of a page only where it may have changed. */
export interface PageContent {
  readonly blocks: PageBlocks;
  /** What the project's `fields` extracted, by name. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * What the runs up to the baseline know of a page. `read`: the last run that reached it could read it. `stale`: it could not,
 * and there is an older good reading. `unread`: it was met and never read. `gone`: its removal was told.
 */
export interface KnownPage {
  readonly pageKey: string;
  readonly url: string;
  readonly state: 'read' | 'stale' | 'unread' | 'gone';
  /** Its last good reading, whichever run it is of. */
  readonly lastGood?: PageReading;
  /** The verdict and error code of the last run that met it. */
  readonly lastVerdict: string;
  /** Runs in a row in which it looked gone. */
  readonly absences: number;
}

/** What a run says of a page: the columns of the outcome table. */
export type Observation = 'read' | 'missing' | 'soft_missing' | 'unreadable' | 'robots' | 'skipped' | 'unreached';

/** What the runs before say of it: the rows of the outcome table. */
export type PriorState = KnownPage['state'] | 'absent';

/** What a reading amounts to. A blocked page with NOT_FOUND is a missing one; without the status of one it only says so. */
export function observationOf({ verdict, errorCode, httpStatus }: PageReading): Observation {
  if (verdict === 'robots' || verdict === 'skipped') return verdict;
  if (verdict === 'blocked') {
    if (errorCode !== 'NOT_FOUND') return 'unreadable';
    return httpStatus === 404 || httpStatus === 410 ? 'missing' : 'soft_missing';
  }
  const isReadable = verdict === 'ok' || verdict === 'thin' || verdict === 'cached';
  return isReadable ? 'read' : 'unreadable';
}

/** `ok`, `thin`; where a page was refused, why. */
export function verdictLabel({ verdict, errorCode }: PageReading): string {
  return verdict === 'blocked' ? `${verdict}: ${errorCode}` : verdict;
}
