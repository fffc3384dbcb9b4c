import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { makeLeaseCredits } from './lease-credits.ts';
import type { BillingViews } from './store/billing-views.ts';
import type { StatementViews } from './store/statement-views.ts';

/** Implements the gRPC service: translates requests, calls the use case, translates results. */
export function billingGrpc(deps: {
  leaseCredits: ReturnType<typeof makeLeaseCredits>;
  views: BillingViews;
  statements: StatementViews;
  openAccount: (workspaceId: string) => Promise<boolean>;
  now: () => Date;
}): BoundMethod[] {
  return [
    handle(Rpc.lease, async ({ items }) => ({ grants: await deps.leaseCredits(items) })),
    handle(Rpc.balance, async (_, ctx) => {
      const { workspaceId } = callerOf(ctx);
      let balance = await deps.views.balance(workspaceId, deps.now());
      if (balance === undefined) {
        if (!(await deps.openAccount(workspaceId))) throw new AppError('not_found', 'workspace not found');
        balance = await deps.views.balance(workspaceId, deps.now());
      }
      if (balance === undefined) throw new AppError('internal', 'the account could not be opened');
      return balance;
    }),
    handle(Rpc.usage, async (_, ctx) => deps.views.usage(callerOf(ctx).workspaceId, deps.now())),
    handle(Rpc.listSpend, async ({ workspaceIds }, ctx) => ({
      spends: await deps.statements.spends(callerOf(ctx).workspaceId, workspaceIds, deps.now()),
    })),
    handle(Rpc.statement, async (_, ctx) => deps.statements.statement(callerOf(ctx).workspaceId, deps.now())),
  ];
}
