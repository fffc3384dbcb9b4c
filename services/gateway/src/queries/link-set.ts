import type { LinkSet, LinksQuery } from '@tidemark/api';
import { CrawlServiceService as Rpc } from '@tidemark/contracts/crawl/v1/crawl';
import type { CallContext, Peer } from '@tidemark/service';

/** Returns one set of the link graph of a run. `path` is the URL of the set. */
export async function readLinkSet(
  crawl: Peer,
  { id, path, kind, cursor, limit }: LinksQuery & { readonly id: string; readonly path: string },
  call: CallContext,
): Promise<LinkSet> {
  const found = await crawl.call(Rpc.listLinks, { id, kind, after: cursor, limit }, call);
  const more = `${path}?kind=${kind}&limit=${limit}&cursor=${encodeURIComponent(found.next)}`;
  return {
    data: found.pages.map(({ url, inLinks, httpStatus, referer }) => ({
      url,
      inLinks,
      httpStatus: httpStatus === 0 ? null : httpStatus,
      referer: referer || null,
    })),
    coverage: { verdict: found.isVerdict, why: found.why },
    next: found.next === '' ? null : more,
    cursor: found.next || null,
    creditsUsed: 0,
    request_id: call.requestId,
  };
}
