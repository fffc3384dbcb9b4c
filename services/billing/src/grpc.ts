import { actedBy, events } from '@tidemark/contracts';
import { type CreditAccount, BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { AppError } from '@tidemark/errors';
import { auditEvent, type BoundMethod, callerOf, handle, type OutgoingEvent } from '@tidemark/service';
import type { makeChangePlan } from './change-plan.ts';
import { overageMinor, splitCredits } from './credits/estimate-cost.ts';
import type { makeLeaseCredits } from './lease-credits.ts';
import type { BillingViews } from './store/billing-views.ts';
import type { LimitStore } from './store/limit-store.ts';
import type { FindPlan, PlanStore } from './store/plan-store.ts';
import type { StatementViews } from './store/statement-views.ts';
import type { TokenStore } from './store/token-store.ts';

/** Implements the gRPC service: translates requests, calls the use case, translates results. */
export function billingGrpc(deps: {
  leaseCredits: ReturnType<typeof makeLeaseCredits>;
  views: BillingViews;
  tokens: Pick<TokenStore, 'ofMonth'>;
  statements: StatementViews;
  plans: PlanStore;
  limits: LimitStore;
  changePlan: ReturnType<typeof makeChangePlan>;
  openAccount: (workspaceId: string) => Promise<boolean>;
  planNamed: FindPlan;
  /** The currency of the workspace's subscription; undefined: it has none. */
  currencyOf: (workspaceId: string) => Promise<string | undefined>;
  /** Sends events whose rows are committed. */
  send: (events: readonly OutgoingEvent[]) => void;
  now: () => Date;
}): BoundMethod[] {
  /** Reads something of an account, which is opened first if the workspace has none. */
  async function readOpened<T>(workspaceId: string, read: () => Promise<T | undefined>): Promise<T> {
    const found = await read();
    if (found !== undefined) return found;
    if (!(await deps.openAccount(workspaceId))) throw new AppError('not_found', 'workspace not found');
    const opened = await read();
    if (opened === undefined) throw new AppError('internal', 'the account could not be opened');
    return opened;
  }

  const readAccount = (workspaceId: string) => readOpened(workspaceId, () => deps.views.account(workspaceId));

  return [
    handle(Rpc.lease, async ({ items }) => ({ grants: await deps.leaseCredits(items) })),
    handle(Rpc.balance, async (_, ctx) => {
      const { workspaceId } = callerOf(ctx);
      return readOpened(workspaceId, () => deps.views.balance(workspaceId, deps.now()));
    }),
    handle(Rpc.getAccount, async (_, ctx) => {
      const { workspaceId } = callerOf(ctx);
      const account = await readAccount(workspaceId);
      return { account, limits: await deps.limits.list(workspaceId) };
    }),
    overageCapMethod(deps, readAccount),
    spendLimitsMethod(deps, readAccount),
    handle(Rpc.setPlan, async ({ workspaceId, plan }) => {
      await readAccount(workspaceId);
      await deps.changePlan({ workspaceId, plan });
      return { account: await deps.views.account(workspaceId) };
    }),
    usageMethod(deps),
    estimateMethod(deps, readAccount),
    handle(Rpc.listSpend, async ({ workspaceIds }, ctx) => ({
      spends: await deps.statements.spends(callerOf(ctx).workspaceId, workspaceIds, deps.now()),
    })),
    handle(Rpc.statement, async (_, ctx) => deps.statements.statement(callerOf(ctx).workspaceId, deps.now())),
  ];
}

type Deps = Parameters<typeof billingGrpc>[0];
type ReadAccount = (workspaceId: string) => Promise<CreditAccount>;

/** Returns the method that sets how far a workspace may go beyond its allowance. */
const overageCapMethod = (deps: Pick<Deps, 'plans' | 'send' | 'now'>, readAccount: ReadAccount): BoundMethod =>
  handle(Rpc.setOverageCap, async ({ cap }, ctx) => {
    const caller = callerOf(ctx);
    const { workspaceId } = caller;
    const { payerId } = await readAccount(workspaceId);
    if (payerId !== '')
      throw new AppError('conflict', 'a sub-account uses the credits of its parent, which sets the overage cap');
    const action = { action: 'overage_cap.changed', subjectId: workspaceId, detail: { cap }, at: deps.now() };
    const entry = auditEvent(events.billingAudited, actedBy(caller), action);
    await deps.plans.setOverageCap(workspaceId, cap, [entry]);
    deps.send([entry]);
    return { account: await readAccount(workspaceId) };
  });

/** Returns the method that sets what keys, people and projects may spend. */
const spendLimitsMethod = (deps: Pick<Deps, 'limits' | 'send' | 'now'>, readAccount: ReadAccount): BoundMethod =>
  handle(Rpc.setSpendLimits, async ({ limits }, ctx) => {
    const caller = callerOf(ctx);
    const { workspaceId } = caller;
    await readAccount(workspaceId);
    const at = deps.now();
    const entries = limits.map(({ subjectId, credits = 'none' }) =>
      auditEvent(events.billingAudited, actedBy(caller), {
        action: 'spend_limit.changed',
        subjectId,
        detail: { credits },
        at,
      }),
    );
    const stored = await deps.limits.set(workspaceId, limits, entries);
    deps.send(entries);
    return { limits: stored };
  });

/** Returns the method that estimates the cost of planned work. A sub-account spends the credits of its payer. */
const estimateMethod = (
  { planNamed, currencyOf }: Pick<Deps, 'planNamed' | 'currencyOf'>,
  readAccount: ReadAccount,
): BoundMethod =>
  handle(Rpc.estimateCost, async ({ credits }, ctx) => {
    const own = await readAccount(callerOf(ctx).workspaceId);
    const payerId = own.payerId || callerOf(ctx).workspaceId;
    const payer = own.payerId === '' ? own : await readAccount(payerId);
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
