import type { Verdict } from '@tidemark/contracts/page/v1/page';

/** A stored reading of a page. */
export interface Reading {
  readonly runId: string;
  readonly pageId: string;
  readonly crawledAt: Date;
  readonly verdict: Verdict;
  readonly words: number;
  readonly language: string | undefined;
  readonly hasHtml: boolean;
  /** Equal for equal texts of the content. Undefined: the reading has no body of its own, such as a 304. */
  readonly text: string | undefined;
  /** Deleted readings before this one that had the same text. */
  readonly deleted: { readonly since: Date; readonly readings: number } | undefined;
  /** The deleted reading before those, or before this one, had another text. */
  readonly isNew: boolean;
}

/** An interval in which every good reading of a page has the same text. */
export interface TextVersion<Of extends Reading = Reading> {
  readonly first: Of;
  readonly last: Of;
  readonly since: Date;
  readonly readings: number;
  /** First reading of the newest earlier version with the same text. */
  readonly sameAs: Of | undefined;
  /** Last reading of the version before. */
  readonly replaced: Of | undefined;
}

/** Consecutive readings that did not return the page. */
export interface UnreadInterval {
  readonly from: Date;
  readonly to: Date;
  readonly verdict: Verdict;
  readonly readings: number;
}

export interface PageHistory<Of extends Reading = Reading> {
  /** Oldest first. */
  readonly versions: readonly TextVersion<Of>[];
  readonly unread: readonly UnreadInterval[];
}

const GOOD: ReadonlySet<Verdict> = new Set<Verdict>(['ok', 'thin', 'cached']);
/** A page with too few words (`skipped`) was read, and its text is not stored. */
const UNREAD: ReadonlySet<Verdict> = new Set<Verdict>(['blocked', 'robots']);

/** Returns whether a reading returned the page. */
export const isGood = ({ verdict }: Pick<Reading, 'verdict'>): boolean => GOOD.has(verdict);

/** Divides the readings of a page, oldest first, into intervals of equal text and intervals in which it was not read. */
export function pageHistoryOf<Of extends Reading>(readings: readonly Of[]): PageHistory<Of> {
  const versions: TextVersion<Of>[] = [];
  const firstOf = new Map<string, Of>();
  let current: TextVersion<Of> | undefined;
  const close = (): void => {
    if (current === undefined) return;
    versions.push(current);
    if (current.first.text !== undefined) firstOf.set(current.first.text, current.first);
  };
  for (const reading of readings.filter(isGood)) {
    if (current !== undefined && continues(current, reading)) {
      current = { ...current, last: reading, readings: current.readings + readingsOf(reading) };
      continue;
    }
    close();
    current = {
      first: reading,
      last: reading,
      since: reading.deleted?.since ?? reading.crawledAt,
      readings: readingsOf(reading),
      sameAs: reading.text === undefined ? undefined : firstOf.get(reading.text),
      replaced: versions.at(-1)?.last,
    };
  }
  close();
  return { versions, unread: unreadIntervals(readings) };
}

/** A deleted reading between two stored ones may have had another text: then the later one begins a version. */
const continues = ({ first }: TextVersion, reading: Reading): boolean =>
  reading.text === undefined || (first.text === reading.text && !reading.isNew);

const readingsOf = ({ deleted }: Reading): number => 1 + (deleted?.readings ?? 0);

function unreadIntervals(readings: readonly Reading[]): UnreadInterval[] {
  const intervals: UnreadInterval[] = [];
  let open: UnreadInterval | undefined;
  for (const reading of readings) {
    if (isGood(reading)) {
      if (open !== undefined) intervals.push(open);
      open = undefined;
    } else if (UNREAD.has(reading.verdict)) {
      const { crawledAt, verdict } = reading;
      open =
        open === undefined
          ? { from: crawledAt, to: crawledAt, verdict, readings: 1 }
          : { ...open, to: crawledAt, readings: open.readings + 1 };
    }
  }
  return open === undefined ? intervals : [...intervals, open];
}
