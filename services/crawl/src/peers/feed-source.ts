import { type FeedRead, MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import { codeOf } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';

export type { FeedRead };

/** What a crawl needs of whoever reads feeds: the entries of each, in the order they were asked for. */
export interface FeedSource {
  /** Never rejects for the sake of a feed; one that can't be read says why. */
  read(workspaceId: string, urls: readonly string[]): Promise<FeedRead[]>;
}

/** Entries wanted of one feed. */
const MAX_ENTRIES = 5_000;
const BATCH_FEEDS = 10;
/** Longer than whoever reads them allows itself. */
const DEADLINE_MS = 45_000;

/** Asks the map service, for some feeds at a time. @throws AppError where it gives no answer */
export function mapFeedSource(map: Peer): FeedSource {
  return {
    async read(workspaceId, urls) {
      const caller: CallContext = { requestId: '', caller: { workspaceId, keyId: '', scope: 'read', projects: [] } };
      const feeds: FeedRead[] = [];
      for (let from = 0; from < urls.length; from += BATCH_FEEDS) {
        const some = urls.slice(from, from + BATCH_FEEDS);
        const request = { urls: some, limit: MAX_ENTRIES };
        const answer = await map.call(Rpc.readFeeds, request, caller, { deadlineMs: DEADLINE_MS });
        feeds.push(...answer.feeds);
      }
      return feeds;
    },
  };
}

/** What is said of a feed where nobody could be asked to read it. */
export const feedError = (error: unknown): string =>
  codeOf(error) === 'unavailable' ? 'feeds can’t be read at the moment' : 'it could not be read; the fault is ours';
