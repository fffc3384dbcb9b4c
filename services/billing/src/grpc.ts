import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { makeLease } from './lease.ts';
import type { BillingViews } from './store/views.ts';

/** The face of billing: proto in, use case, proto out. */
export function billingGrpc(deps: {
  lease: ReturnType<typeof makeLease>;
  views: BillingViews;
  openAccount: (workspaceId: string) => Promise<void>;
  now: () => Date;
}): BoundMethod[] {
  return [
    handle(Rpc.lease, async ({ wishes }) => ({ grants: await deps.lease(wishes) })),
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
