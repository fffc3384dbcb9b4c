import { DeliveryServiceService as Rpc } from '@tidemark/contracts/delivery/v1/delivery';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { Inbox } from './inbox.ts';

/** The inbox of members, of the face of delivery. */
export function noticeMethods(inbox: Inbox): BoundMethod[] {
  return [
    handle(Rpc.listNotices, async (request, ctx) => inbox.list(callerOf(ctx), request)),
    handle(Rpc.dismissNotice, async (request, ctx) => {
      await inbox.dismiss(callerOf(ctx), request);
      return {};
    }),
  ];
}
