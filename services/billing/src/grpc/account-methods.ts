import { actedBy, events } from '@tidemark/contracts';
import { type CreditAccount, BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { AppError } from '@tidemark/errors';
import { auditEvent, type BoundMethod, callerOf, handle, type OutgoingEvent } from '@tidemark/service';
import type { ChangePlan } from '../accounts/change-plan.ts';
import type { LeaseCredits } from '../accounts/lease-credits.ts';
import type { ReadOpened } from '../accounts/read-opened.ts';
import { overageMinor, splitCredits } from '../credits/estimate-cost.ts';
import type { BillingViews } from '../store/billing-views.ts';
import type { LimitStore } from '../store/limit-store.ts';
import type { FindPlan, PlanStore } from '../store/plan-store.ts';
import type { StatementViews } from '../store/statement-views.ts';
import type { TokenStore } from '../store/token-store.ts';

/** Returns the methods that reserve credits and read the balance. */
export const creditMethods = ({
  leaseCredits,
  views,
  readOpened,
  now,
}: {
  readonly leaseCredits: LeaseCredits;
  readonly views: BillingViews;
  readonly readOpened: ReadOpened;
  readonly now: () => Date;
}): BoundMethod[] => [
  handle(Rpc.lease, async ({ items }) => ({ grants: await leaseCredits(items) })),
  handle(Rpc.balance, async (_, ctx) => {
    const { workspaceId } = callerOf(ctx);
    return readOpened(workspaceId, () => views.balance(workspaceId, now()));
  }),
];

/** Returns the methods that read and change an account: its plan, overage cap and spend limits. */
export function accountMethods({
  views,
  plans,
  limits,
  changePlan,
  readOpened,
  send,
  now,
}: {
  readonly views: BillingViews;
  readonly plans: PlanStore;
  readonly limits: LimitStore;
  readonly changePlan: ChangePlan;
  readonly readOpened: ReadOpened;
  readonly send: SendEvents;
  readonly now: () => Date;
}): BoundMethod[] {
  const readAccount: ReadAccount = (workspaceId) => readOpened(workspaceId, () => views.account(workspaceId));
  return [
    handle(Rpc.getAccount, async (_, ctx) => {
      const { workspaceId } = callerOf(ctx);
      const account = await readAccount(workspaceId);
      return { account, limits: await limits.list(workspaceId) };
    }),
    overageCapMethod({ plans, readAccount, send, now }),
    spendLimitsMethod({ limits, readAccount, send, now }),
    handle(Rpc.setPlan, async ({ workspaceId, plan }) => {
      await readAccount(workspaceId);
      await changePlan({ workspaceId, plan });
      return { account: await views.account(workspaceId) };
    }),
  ];
}

/** Returns the methods that read what was spent. */
export const spendMethods = ({
  views,
  tokens,
  limits,
  statements,
  now,
}: {
  readonly views: BillingViews;
  readonly tokens: Pick<TokenStore, 'ofMonth'>;
  readonly limits: Pick<LimitStore, 'list'>;
  readonly statements: StatementViews;
  readonly now: () => Date;
}): BoundMethod[] => [
  usageMethod({ views, tokens, limits, now }),
  handle(Rpc.listSpend, async ({ workspaceIds }, ctx) => ({
    spends: await statements.spends(callerOf(ctx).workspaceId, workspaceIds, now()),
  })),
  handle(Rpc.statement, async (_, ctx) => statements.statement(callerOf(ctx).workspaceId, now())),
];

/** Returns the currency of the workspace's subscription; undefined: it has none. */
type CurrencyOf = (workspaceId: string) => Promise<string | undefined>;
/** Sends events whose rows are committed. */
type SendEvents = (events: readonly OutgoingEvent[]) => void;
type ReadAccount = (workspaceId: string) => Promise<CreditAccount>;

/** Returns the method that sets how far a workspace may go beyond its allowance. */
const overageCapMethod = ({
  plans,
  readAccount,
  send,
  now,
}: {
  readonly plans: PlanStore;
  readonly readAccount: ReadAccount;
  readonly send: SendEvents;
  readonly now: () => Date;
}): BoundMethod =>
  handle(Rpc.setOverageCap, async ({ cap }, ctx) => {
    const caller = callerOf(ctx);
    const { workspaceId } = caller;
    const { payerId } = await readAccount(workspaceId);
    if (payerId !== undefined)
      throw new AppError('conflict', 'a sub-account uses the credits of its parent, which sets the overage cap');
    const action = { action: 'overage_cap.changed', subjectId: workspaceId, detail: { cap }, at: now() };
    const entry = auditEvent(events.billingAudited, actedBy(caller), action);
    await plans.setOverageCap(workspaceId, cap, [entry]);
    send([entry]);
    return { account: await readAccount(workspaceId) };
  });

/** Returns the method that sets what keys, people and projects may spend. */
const spendLimitsMethod = ({
  limits: stored,
  readAccount,
  send,
  now,
}: {
  readonly limits: LimitStore;
  readonly readAccount: ReadAccount;
  readonly send: SendEvents;
  readonly now: () => Date;
}): BoundMethod =>
  handle(Rpc.setSpendLimits, async ({ limits }, ctx) => {
    const caller = callerOf(ctx);
    const { workspaceId } = caller;
    await readAccount(workspaceId);
    const at = now();
    const entries = limits.map(({ subjectId, credits = 'none' }) =>
      auditEvent(events.billingAudited, actedBy(caller), {
        action: 'spend_limit.changed',
        subjectId,
        detail: { credits },
        at,
      }),
    );
    const changed = await stored.set(workspaceId, limits, entries);
    send(entries);
    return { limits: changed };
  });

/** Returns the method that estimates the cost of planned work. A sub-account spends the credits of its payer. */
export const estimateMethod = ({
  planNamed,
  currencyOf,
  views,
  readOpened,
}: {
  readonly planNamed: FindPlan;
  readonly currencyOf: CurrencyOf;
  readonly views: BillingViews;
  readonly readOpened: ReadOpened;
}): BoundMethod =>
  handle(Rpc.estimateCost, async ({ credits }, ctx) => {
    const readAccount: ReadAccount = (workspaceId) => readOpened(workspaceId, () => views.account(workspaceId));
    const own = await readAccount(callerOf(ctx).workspaceId);
    const payerId = own.payerId ?? callerOf(ctx).workspaceId;
    const payer = own.payerId === undefined ? own : await readAccount(payerId);
    const split = splitCredits(payer, credits);
    const { overagePer1000, prices } = planNamed(payer.plan).plan;
    const currency = (await currencyOf(payerId)) ?? Object.keys(prices)[0];
    const per1000 = overagePer1000[currency ?? ''] ?? 0;
    return { ...split, amountMinor: overageMinor(split.overage, per1000), currency };
  });

/** Returns the method that reads pages, credits and tokens. */
const usageMethod = ({
  views,
  tokens,
  limits,
  now,
}: {
  views: BillingViews;
  limits: Pick<LimitStore, 'list'>;
  tokens: Pick<TokenStore, 'ofMonth'>;
  now: () => Date;
}): BoundMethod =>
  handle(Rpc.usage, async (_, ctx) => {
    const { workspaceId } = callerOf(ctx);
    const [usage, ofMonth, set] = await Promise.all([
      views.usage(workspaceId, now()),
      tokens.ofMonth(workspaceId, now()),
      limits.list(workspaceId),
    ]);
    return { ...usage, tokens: ofMonth, limits: set };
  });
