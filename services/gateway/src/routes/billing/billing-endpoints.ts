import { type Billing, routes } from '@tidemark/api';
import type { Catalogue } from '@tidemark/catalogue';
import { type CreditAccount, BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { toMonth } from '../../responses/month-spend.ts';
import { shownPlan, shownPlans } from '../../responses/plans.ts';

/** Endpoints of the workspace's plan and credits. */
export function billingEndpoints({ billing, catalogue }: { billing: Peer; catalogue: Catalogue }): Endpoint[] {
  async function view(account: CreditAccount | undefined, call: CallContext, requestId: string): Promise<Billing> {
    if (account === undefined) throw new AppError('internal', 'billing returned no account');
    const [{ balance, reserved }, statement] = await Promise.all([
      billing.call(Rpc.balance, {}, call),
      billing.call(Rpc.statement, {}, call),
    ]);
    const { period, byKind, charges } = toMonth(statement);
    const plan = catalogue.plans[account.plan];
    if (plan === undefined) throw new AppError('internal', `the plan "${account.plan}" is not in the catalogue`);
    return {
      plan: shownPlan(account.plan, plan),
      paidBy: account.payerId || null,
      credits: { remaining: balance ?? null, reserved, ...toBuckets(account) },
      cap: account.overageCap,
      spend: { ...period, credits: statement.month, byKind },
      charges,
      plans: shownPlans(catalogue),
      packs: catalogue.packs,
      creditsUsed: 0,
      request_id: requestId,
    };
  }

  return [
    endpoint(routes.getBilling, async ({ call, requestId }) => {
      const { account } = await billing.call(Rpc.getAccount, {}, call);
      return { status: 200, body: await view(account, call, requestId) };
    }),

    endpoint(routes.patchCap, async ({ body, call, requestId }) => {
      const { account } = await billing.call(Rpc.setOverageCap, { cap: body.cap }, call);
      return { status: 200, body: await view(account, call, requestId) };
    }),
  ];
}

function toBuckets(account: CreditAccount) {
  const { allowance, allowanceLeft, welcomeLeft, purchasedLeft, overageUsed, overageRoom, periodStart, periodEnd } =
    account;
  return {
    ...{ allowance: allowance ?? null, allowanceLeft, welcomeLeft, purchasedLeft, overageUsed },
    overageRoom: overageRoom ?? null,
    periodStart: periodStart?.toISOString() ?? null,
    resetsAt: periodEnd?.toISOString() ?? null,
  };
}
