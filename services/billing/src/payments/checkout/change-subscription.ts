import { AppError } from '@tidemark/errors';
import { addMonths } from '../../credits/period.ts';
import { toStoredLines } from '../../documents/document.ts';
import { type Proration, prorate } from '../../money/proration.ts';
import type { NetLine, TaxedLines } from '../../money/tax.ts';
import type { BillingPeriod } from '../port/gateway.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { Checkout } from './checkout.ts';
import { periodLine, type SoldPlan, soldPlan, withTax } from './price.ts';
import { type CheckoutDeps, currentDetails, customerOf, insertSubscription, startAtGateway } from './subscribe.ts';

export interface ChangeRequest {
  readonly workspaceId: string;
  readonly plan: string;
  readonly period: BillingPeriod;
}

/** What a change costs now. Amounts are minor units; `dueMinor` includes the tax. */
export interface ChangePreview {
  readonly creditMinor: number;
  readonly chargeMinor: number;
  readonly dueMinor: number;
  readonly taxed: TaxedLines;
  readonly allowanceAdded: number;
  /** Now for an upgrade, the end of the paid period for a downgrade. */
  readonly at: Date;
  readonly isUpgrade: boolean;
}

interface Change {
  readonly row: SubscriptionRow;
  readonly plan: SoldPlan;
  readonly preview: ChangePreview;
  readonly proration: Proration | undefined;
}

/** Makes the preview of a change of plan or period, and the change: an upgrade is paid in checkout, a downgrade takes place at the end of the period. */
export function makeChangeSubscription(deps: CheckoutDeps) {
  return {
    preview: async (request: ChangeRequest): Promise<ChangePreview> => (await planChange(deps, request)).preview,

    /** @returns undefined for a downgrade */
    async change(request: ChangeRequest): Promise<Checkout | undefined> {
      const change = await planChange(deps, request);
      if (change.proration === undefined) return downgrade(deps, change, request.period);
      return upgrade(deps, change, request.period);
    },
  };
}

async function planChange(deps: CheckoutDeps, { workspaceId, plan: planId, period }: ChangeRequest): Promise<Change> {
  const row = await deps.subscriptions.live(workspaceId);
  if (row === undefined)
    throw new AppError('conflict', 'the workspace has no subscription; POST /v1/me/billing/subscribe starts one');
  if (row.state === 'past_due')
    throw new AppError('conflict', 'the last renewal is not paid; pay it or put in a new card first');
  if (row.cancelAtEnd) throw new AppError('conflict', 'the subscription is cancelled; subscribe again after its end');
  if (row.plan === planId && row.period === period)
    throw new AppError('conflict', `the workspace is on the plan "${planId}" already`);
  const plan = soldPlan(deps.plans, planId, row.currency);
  const old = soldPlan(deps.plans, row.plan, row.currency);
  const buyer = await currentDetails(deps, workspaceId, undefined);
  const now = deps.now();
  const isUpgrade = plan.month > old.month || (plan.id === old.id && period === 'year');
  if (!isUpgrade) {
    const taxed = withTax([periodLine(plan, period)], deps.seller, buyer);
    const at = row.paidUntil ?? now;
    const preview = {
      creditMinor: 0,
      chargeMinor: 0,
      dueMinor: 0,
      allowanceAdded: 0,
      taxed,
      at,
      isUpgrade,
    };
    return { row, plan, preview, proration: undefined };
  }
  const proration = proratedUpgrade(row, { old, plan, period }, now);
  const taxed = withTax(upgradeLines({ old, plan, proration }), deps.seller, buyer);
  const { creditMinor, chargeMinor, allowanceAdded } = proration;
  const amounts = {
    creditMinor: Number(creditMinor),
    chargeMinor: Number(chargeMinor),
    dueMinor: Number(taxed.totalMinor),
  };
  return { row, plan, preview: { ...amounts, taxed, allowanceAdded, at: now, isUpgrade }, proration };
}

interface Plans {
  readonly old: SoldPlan;
  readonly plan: SoldPlan;
}

function proratedUpgrade(
  row: SubscriptionRow,
  { old, plan, period }: Plans & { readonly period: BillingPeriod },
  now: Date,
): Proration {
  if (row.paidFrom === null || row.paidUntil === null)
    throw new AppError('internal', 'the subscription has no paid period');
  const paid = {
    startMs: row.paidFrom.getTime(),
    endMs: row.paidUntil.getTime(),

    priceMinor: BigInt(row.netMinor),
    paidMinor: BigInt(row.paidNetMinor),
    allowance: old.allowance,
  };
  const next = { priceMinor: BigInt(plan[period]), allowance: plan.allowance, restartsPeriod: period !== row.period };
  return prorate(paid, next, now.getTime());
}

const upgradeLines = ({ old, plan, proration }: Plans & { readonly proration: Proration }): NetLine[] => [
  { text: `${plan.name}, rest of the period`, quantity: 1, netMinor: proration.chargeMinor },
  { text: `${old.name}, unused time`, quantity: 1, netMinor: -proration.creditMinor },
];

async function upgrade(
  deps: CheckoutDeps,
  { row, plan, preview, proration }: Change,
  period: BillingPeriod,
): Promise<Checkout> {
  const now = deps.now();
  if (proration === undefined || preview.dueMinor < 100)
    throw new AppError('conflict', 'the paid period ends in a moment; change the plan after its renewal');
  const restarts = period !== row.period;
  const buyer = await currentDetails(deps, row.workspaceId, undefined);
  const renewal = withTax([periodLine(plan, period)], deps.seller, buyer);
  const replacement = await insertSubscription(deps, {
    workspaceId: row.workspaceId,
    plan: plan.id,
    period,
    currency: row.currency,
    replaces: row.id,

    netMinor: String(renewal.netMinor),
    grossMinor: String(renewal.totalMinor),
    renewalLines: toStoredLines(renewal.lines),

    dueMinor: String(preview.dueMinor),
    dueNetMinor: String(preview.taxed.netMinor),

    dueLines: toStoredLines(preview.taxed.lines),
    taxNote: preview.taxed.note,
    allowanceAdded: preview.allowanceAdded,
    anchorAt: restarts ? now : row.anchorAt,
    firstFrom: restarts ? now : row.paidFrom,
    firstUntil: restarts ? addMonths(now, period === 'year' ? 12 : 1) : row.paidUntil,
  });
  return startAtGateway(deps, { row: replacement, plan, customer: customerOf(row.workspaceId, buyer) });
}

/** Stores the next plan before the gateway is called: a renewal at the old price stays valid either way. */
async function downgrade(
  deps: CheckoutDeps,
  { row, plan, preview }: Change,
  period: BillingPeriod,
): Promise<undefined> {
  const { taxed } = preview;
  const lines = toStoredLines(taxed.lines);
  const grossMinor = Number(taxed.totalMinor);
  await deps.subscriptions.setNext(row.id, {
    plan: plan.id,
    period,
    netMinor: Number(taxed.netMinor),
    grossMinor,
    lines,
  });
  try {
    await deps.gateway.change(row.gatewayId ?? '', {
      plan: plan.id,
      name: plan.name,
      period,
      currency: row.currency,
      grossMinor,
    });
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') {
      await deps.subscriptions.setNext(row.id, null);
      const until = row.paidUntil?.toISOString().slice(0, 10) ?? '';
      throw new AppError(
        'conflict',
        `${error.message}; cancel the subscription and subscribe to "${plan.id}" after ${until}`,
        { cause: error },
      );
    }
    throw error;
  }
  return undefined;
}
