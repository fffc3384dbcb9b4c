import { DeliveryServiceService as Rpc } from '@tidemark/contracts/delivery/v1/delivery';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { Inbox } from '../notices/inbox.ts';

/** Binds ListNotices and DismissNotice of DeliveryService. */
export function noticeMethods(inbox: Inbox): BoundMethod[] {
  return [
    handle(Rpc.listNotices, async (request, ctx) => inbox.list(callerOf(ctx), request)),
    handle(Rpc.dismissNotice, async (request, ctx) => {
      await inbox.dismiss(callerOf(ctx), request);
      return {};
    }),
  ];
}
