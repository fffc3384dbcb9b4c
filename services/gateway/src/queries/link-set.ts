import type { LinkSet, LinksQuery } from '@tidemark/api';
import { CrawlServiceService as Rpc } from '@tidemark/contracts/crawl/v1/crawl';
import type { CallContext, Peer } from '@tidemark/service';
import type { ListCursors } from '../requests/list-cursors.ts';

interface LinkList {
  readonly id: string;
  /** URL of the set. */
  readonly path: string;
  readonly cursors: ListCursors;
}

/** Returns one set of the link graph of a run. */
export async function readLinkSet(
  crawl: Peer,
  { id, path, cursors, kind, cursor, limit }: LinksQuery & LinkList,
  call: CallContext,
): Promise<LinkSet> {
  const found = await crawl.call(Rpc.listLinks, { id, kind, after: cursors.open(cursor), limit }, call);
  return {
    data: found.pages.map(({ url, inLinks, httpStatus, referer }) => ({
      url,
      inLinks,
      httpStatus: httpStatus === 0 ? null : httpStatus,
      referer: referer || null,
    })),
    runId: id,
    coverage: { verdict: found.isVerdict, why: found.why },
    ...cursors.nextPage(`${path}?kind=${kind}&limit=${limit}`, found.next),
    creditsUsed: 0,
    request_id: call.requestId,
  };
}
