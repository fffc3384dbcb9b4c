import { DeliveryServiceService as Rpc } from '@tidemark/contracts/delivery/v1/delivery';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { Inbox } from './inbox.ts';

/** The inbox of members, of the face of delivery. */
export function noticeMethods(inbox: Inbox): BoundMethod[] {
  return [
    handle(Rpc.listNotices, async (wanted, ctx) => inbox.list(callerOf(ctx), wanted)),
    handle(Rpc.dismissNotice, async (wanted, ctx) => {
      await inbox.dismiss(callerOf(ctx), wanted);
      return {};
    }),
  ];
}
