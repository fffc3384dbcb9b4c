import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { makeLeaseCredits } from './lease-credits.ts';
import type { BillingViews } from './store/billing-views.ts';

/** Implements the gRPC service: translates requests, calls the use case, translates results. */
export function billingGrpc(deps: {
  leaseCredits: ReturnType<typeof makeLeaseCredits>;
  views: BillingViews;
  openAccount: (workspaceId: string) => Promise<void>;
  now: () => Date;
}): BoundMethod[] {
  return [
    handle(Rpc.lease, async ({ items }) => ({ grants: await deps.leaseCredits(items) })),
    handle(Rpc.balance, async (_, ctx) => {
      const { workspaceId } = callerOf(ctx);
      let balance = await deps.views.balance(workspaceId, deps.now());
      if (balance === undefined) {
        await deps.openAccount(workspaceId);
        balance = await deps.views.balance(workspaceId, deps.now());
      }
      if (balance === undefined) throw new AppError('internal', 'the account could not be opened');
      return balance;
    }),
    handle(Rpc.usage, async (_, ctx) => deps.views.usage(callerOf(ctx).workspaceId, deps.now())),
  ];
}
