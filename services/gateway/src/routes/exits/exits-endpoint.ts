import { routes } from '@tidemark/api';
import { ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';

/** The deployment's exits: shown to everyone who may read, since everyone's pages leave through them. */
export function exitsEndpoint(scrape: Peer): Endpoint {
  return endpoint(routes.listExits, async ({ call, requestId }) => {
    const { exits } = await scrape.call(Rpc.listExits, {}, call);
    const data = exits.map(({ country, ...exit }) => ({ ...exit, country: country || null }));
    return { status: 200, body: { data, creditsUsed: 0, request_id: requestId } };
  });
}
