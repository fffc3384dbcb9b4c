import { onOwnBehalf } from '@tidemark/contracts';
import { type FeedRead, MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import { codeOf } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';

export type { FeedRead };

/** Reads feeds. Returns the entries of each, in request order. */
export interface FeedSource {
  /** Never rejects because of a single feed; the result of an unreadable feed has an error. */
  read(workspaceId: string, urls: readonly string[], limits?: { readonly withinMs: number }): Promise<FeedRead[]>;
}

/** Entries read per feed. */
const MAX_ENTRIES = 5_000;
const BATCH_FEEDS = 10;
/** Time limit of map for one request, unless another one is given, and what the call itself may add, ms. */
const WITHIN_MS = 40_000;
const GRACE_MS = 5_000;

/** Reads feeds through the map service in batches. @throws AppError if map is unavailable */
export function mapFeedSource(map: Peer): FeedSource {
  return {
    async read(workspaceId, urls, { withinMs } = { withinMs: WITHIN_MS }) {
      const caller: CallContext = { requestId: '', caller: onOwnBehalf('crawl', workspaceId) };
      const feeds: FeedRead[] = [];
      for (let from = 0; from < urls.length; from += BATCH_FEEDS) {
        const some = urls.slice(from, from + BATCH_FEEDS);
        const request = { urls: some, limit: MAX_ENTRIES, withinMs };
        const response = await map.call(Rpc.readFeeds, request, caller, { deadlineMs: withinMs + GRACE_MS });
        feeds.push(...response.feeds);
      }
      return feeds;
    },
  };
}

/** Returns the error text of a feed that was not read because the call failed. */
export const feedError = (error: unknown): string =>
  codeOf(error) === 'unavailable'
    ? 'feeds can’t be read at the moment'
    : 'it could not be read because of an internal error';
