import { routes } from '@tidemark/api';
import { ExitServiceService as Rpc } from '@tidemark/contracts/browser/v1/exits';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { WHOLE_LIST } from '../../requests/list-cursors.ts';

/** Lists the deployment's exits. Every workspace may read them, since pages of every workspace use them. */
export function exitsEndpoint(browserPool: Peer): Endpoint {
  return endpoint(routes.listExits, async ({ call, requestId }) => {
    const { exits } = await browserPool.call(Rpc.listExits, {}, call);
    const data = exits.map(({ country, ...exit }) => ({ ...exit, country: country || null }));
    return { status: 200, body: { data, ...WHOLE_LIST, creditsUsed: 0, request_id: requestId } };
  });
}
