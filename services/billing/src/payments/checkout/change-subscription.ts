import type { Plan } from '@tidemark/catalogue';
import { AppError } from '@tidemark/errors';
import { addMonths } from '../../credits/period.ts';
import { toStoredLines } from '../../documents/document.ts';
import type { Seller } from '../../documents/seller.ts';
import { type Proration, prorate } from '../../money/proration.ts';
import type { NetLine, TaxedLines } from '../../money/tax.ts';
import { audited, type RequestedBy } from '../audited.ts';
import type { BillingPeriod, PaymentGateway } from '../port/gateway.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';
import { type BuyerOf, customerOf } from './buyer.ts';
import type { Checkout } from './checkout.ts';
import { periodLine, type SoldPlan, soldPlan, withTax } from './price.ts';
import { insertSubscription, startAtGateway } from './subscribe.ts';

export interface ChangeRequest {
  readonly by: RequestedBy;
  readonly plan: string;
  readonly period: BillingPeriod;
  /** `at` of the preview whose amounts apply; absent: now. */
  readonly previewedAt?: Date | undefined;
}

/** Time for which the amounts of a preview can be requested, ms. */
const PREVIEW_VALID_MS = 15 * 60_000;

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

/** A change of plan or period with its cost. `proration` is undefined for a downgrade. */
export interface Change {
  readonly row: SubscriptionRow;
  readonly plan: SoldPlan;
  readonly preview: ChangePreview;
  readonly proration: Proration | undefined;
}

/** Finds the live subscription and the plan of a request, and computes the cost of the change. @throws AppError conflict, validation */
export type PlanChange = (request: ChangeRequest) => Promise<Change>;

export function makePlanChange({
  subscriptions,
  plans,
  seller,
  buyerOf,
  now,
}: {
  readonly subscriptions: SubscriptionStore;
  readonly plans: Readonly<Record<string, Plan>>;
  readonly seller: Seller;
  readonly buyerOf: BuyerOf;
  readonly now: () => Date;
}): PlanChange {
  return async ({ by, plan: planId, period, previewedAt }) => {
    const { workspaceId } = by;
    const row = await subscriptions.live(workspaceId);
    if (row === undefined)
      throw new AppError('conflict', 'the workspace has no subscription; POST /v1/me/billing/subscribe starts one');
    if (row.state === 'past_due')
      throw new AppError('conflict', 'the last renewal is not paid; pay it or put in a new card first');
    if (row.cancelAtEnd) throw new AppError('conflict', 'the subscription is cancelled; subscribe again after its end');
    if (row.plan === planId && row.period === period)
      throw new AppError('conflict', `the workspace is on the plan "${planId}" already`);
    const plan = soldPlan(plans, planId, row.currency);
    const old = soldPlan(plans, row.plan, row.currency);
    const buyer = await buyerOf(by, undefined);
    const at = timeOfPreview(previewedAt, now());
    const isUpgrade = plan.month > old.month || (plan.id === old.id && period === 'year');
    if (!isUpgrade) {
      const taxed = withTax([periodLine(plan, period)], seller, buyer);
      const from = row.paidUntil ?? at;
      const preview = {
        creditMinor: 0,
        chargeMinor: 0,
        dueMinor: 0,
        allowanceAdded: 0,
        taxed,
        at: from,
        isUpgrade,
      };
      return { row, plan, preview, proration: undefined };
    }
    const proration = proratedUpgrade(row, { old, plan, period }, at);
    const taxed = withTax(upgradeLines({ old, plan, proration }), seller, buyer);
    const { creditMinor, chargeMinor, allowanceAdded } = proration;
    const amounts = {
      creditMinor: Number(creditMinor),
      chargeMinor: Number(chargeMinor),
      dueMinor: Number(taxed.totalMinor),
    };
    return { row, plan, preview: { ...amounts, taxed, allowanceAdded, at, isUpgrade }, proration };
  };
}

/**
 * Changes plan or period: an upgrade is paid in checkout, a downgrade takes place at the end of the period.
 * @returns undefined for a downgrade. @throws AppError conflict, validation
 */
export type ChangeSubscription = (request: ChangeRequest) => Promise<Checkout | undefined>;

export function makeChangeSubscription({
  gateway,
  subscriptions,
  seller,
  buyerOf,
  planChange,
  now,
}: {
  readonly gateway: PaymentGateway;
  readonly subscriptions: SubscriptionStore;
  readonly seller: Seller;
  readonly buyerOf: BuyerOf;
  readonly planChange: PlanChange;
  readonly now: () => Date;
}): ChangeSubscription {
  return async (request) => {
    const change = await planChange(request);
    if (change.proration === undefined) return downgrade(change, request);
    return upgrade(change, request);
  };

  async function upgrade({ row, plan, preview, proration }: Change, { by, period }: ChangeRequest): Promise<Checkout> {
    const at = now();
    if (proration === undefined || preview.dueMinor < 100)
      throw new AppError('conflict', 'the paid period ends in a moment; change the plan after its renewal');
    const restarts = period !== row.period;
    const buyer = await buyerOf(by, undefined);
    const renewal = withTax([periodLine(plan, period)], seller, buyer);
    const replacement = await insertSubscription(subscriptions, by, {
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
      anchorAt: restarts ? at : row.anchorAt,
      firstFrom: restarts ? at : row.paidFrom,
      firstUntil: restarts ? addMonths(at, period === 'year' ? 12 : 1) : row.paidUntil,
    });
    return startAtGateway(
      { gateway, subscriptions },
      { row: replacement, plan, customer: customerOf(row.workspaceId, buyer) },
    );
  }

  /** Stores the next plan before the gateway is called: a renewal at the old price stays valid either way. */
  async function downgrade({ row, plan, preview }: Change, { by, period }: ChangeRequest): Promise<undefined> {
    const { taxed } = preview;
    const lines = toStoredLines(taxed.lines);
    const grossMinor = Number(taxed.totalMinor);
    const next = { plan: plan.id, period, netMinor: Number(taxed.netMinor), grossMinor, lines };
    const detail = { plan: plan.id, period };
    await subscriptions.setNext(row.id, next, [audited(by, 'subscription.change_scheduled', row.id, detail)]);
    try {
      await gateway.change(row.gatewayId ?? '', {
        plan: plan.id,
        name: plan.name,
        period,
        currency: row.currency,
        grossMinor,
      });
    } catch (error) {
      if (error instanceof AppError && error.code === 'conflict') {
        await subscriptions.setNext(row.id, null, [audited(by, 'subscription.kept', row.id)]);
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
}

/** Returns the time that the amounts are computed for. @throws AppError validation for a preview of another time than the last 15 minutes */
function timeOfPreview(previewedAt: Date | undefined, now: Date): Date {
  if (previewedAt === undefined) return now;
  const ageMs = now.getTime() - previewedAt.getTime();
  if (ageMs >= 0 && ageMs <= PREVIEW_VALID_MS) return previewedAt;
  const msg = 'expected `at` of a preview of the last 15 minutes; request another preview';
  throw new AppError('validation', `previewed_at: ${msg}`, {
    detail: [{ loc: ['body', 'previewed_at'], msg, type: 'expired_preview' }],
  });
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
