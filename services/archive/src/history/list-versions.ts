import type { ListVersionsResponse, TextVersion as WireVersion } from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import { pageHistoryOf, type Reading, type TextVersion, type UnreadInterval } from '../domain/page-history.ts';
import type { HistoryStore, PageOfProject } from '../store/history-store.ts';

export interface VersionRange {
  /** First reading of the last version received; undefined: from the newest version. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** Returns versions of a page, newest first. @throws AppError not_found if no reading of the page is stored */
export type ListVersions = (page: PageOfProject, range: VersionRange) => Promise<ListVersionsResponse>;

export function makeListVersions({ history }: { readonly history: HistoryStore }): ListVersions {
  return async (page, { before, limit }) => {
    const { readings, deletedTo } = await history.readingsOf(page);
    if (readings.length === 0) throw noReading();
    const { versions, unread } = pageHistoryOf(readings);
    const older = before === undefined ? versions : versionsBefore(versions, before);
    const listed = older.slice(-limit).reverse();
    return {
      versions: listed.map(toWire),
      isMore: older.length > listed.length,
      unread: unread.filter(isListedWith(listed, versions[older.length])).toReversed(),
      completeSince: deletedTo,
    };
  };
}

export const noReading = (): AppError => new AppError('not_found', 'no reading of this URL is stored in the project');

/** The version may have been deleted since it was returned: ids of captures ascend with time. */
function versionsBefore(versions: readonly TextVersion[], pageId: string): readonly TextVersion[] {
  const at = versions.findIndex(({ first }) => first.pageId === pageId);
  return at === -1 ? versions.filter(({ first }) => first.pageId < pageId) : versions.slice(0, at);
}

/** Returns whether an interval begins between the oldest of the listed versions and the version `after` them. */
function isListedWith(listed: readonly TextVersion[], after: TextVersion | undefined) {
  const oldest = listed.at(-1)?.first.crawledAt;
  return ({ from }: UnreadInterval): boolean =>
    (oldest === undefined || oldest.getTime() <= from.getTime()) &&
    (after === undefined || from.getTime() < after.first.crawledAt.getTime());
}

export const toReadingRef = ({ runId, pageId, crawledAt }: Reading) => ({ runId, pageId, crawledAt });

const toWire = ({ first, last, since, readings, sameAs, replaced }: TextVersion): WireVersion => ({
  first: toReadingRef(first),
  last: toReadingRef(last),
  since,
  readings,
  verdict: first.verdict,
  words: first.words,
  language: first.language,
  hasHtml: last.hasHtml,
  sameAs: sameAs && toReadingRef(sameAs),
  replaced: replaced && toReadingRef(replaced),
});
