import { NOTICE_KINDS, type Notice, routes } from '@tidemark/api';
import { DeliveryServiceService as Rpc, type Notice as WireNotice } from '@tidemark/contracts/delivery/v1/delivery';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import type { Authenticated } from '../../middleware/authenticated.ts';
import { checkedId } from '../../requests/checked-id.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { oneOf } from '../../responses/one-of.ts';

/** Returns the member of a request; undefined for an API key, which has no inbox. */
const memberIdOf = ({ person }: Authenticated): string | undefined => person?.userId;

const toNotice = ({ id, kind, projectId, runId, title, text, createdAt }: WireNotice): Notice => ({
  id,
  title,
  text,
  kind: oneOf(NOTICE_KINDS, kind),
  projectId: projectId ?? null,
  runId: runId ?? null,
  createdAt: timeOf(createdAt),
});

/** Endpoints of notifications, which exist only while no mail host is configured. */
export function noticeEndpoints(delivery: Peer): Endpoint[] {
  return [
    endpoint(routes.listNotices, async ({ query, baseUrl, auth, call, requestId, cursors }) => {
      const { limit } = query;
      const request = { memberId: memberIdOf(auth), limit, cursor: cursors.openId('ntc', query.cursor) };
      const found = await delivery.call(Rpc.listNotices, request, call);
      const at = `${baseUrl}/me/notifications?limit=${limit}`;
      const nextPage = cursors.nextPage(at, found.next);
      const data = found.notices.map(toNotice);
      return { status: 200, body: { data, ...nextPage, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.dismissNotice, async ({ params, auth, call }) => {
      const id = checkedId('ntc', params.notice_id, 'notification');
      await delivery.call(Rpc.dismissNotice, { memberId: memberIdOf(auth), id }, call);
      return { status: 204 };
    }),
  ];
}
