import { randomBytes } from 'node:crypto';
import { actedBy } from '@tidemark/contracts';
import {
  type BillingDetails,
  type Checkout as CheckoutMessage,
  type PriceLine,
  PaymentServiceService as Rpc,
} from '@tidemark/contracts/billing/v1/payments';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import { type Buyer, type StoredLine, toStoredLines } from '../../documents/document.ts';
import { renderDocument } from '../../documents/render-document.ts';
import { invoiceState } from '../../states/invoice-state.ts';
import { isLive } from '../../states/subscription-state.ts';
import { audited } from '../audited.ts';
import type { BuyCredits } from '../checkout/buy-credits.ts';
import type { ChangeSubscription, PlanChange } from '../checkout/change-subscription.ts';
import type { Checkout } from '../checkout/checkout.ts';
import type { Confirm } from '../checkout/confirm.ts';
import type { CancelSubscription, ChangeCard, KeepSubscription } from '../checkout/end-subscription.ts';
import type { Subscribe } from '../checkout/subscribe.ts';
import type { BillingPeriod, ReceivedMessage } from '../port/gateway.ts';
import type { RequirePayer } from '../require-payer.ts';
import type { DetailsStore } from '../store/details-store.ts';
import type { DocumentViews, InvoiceRow } from '../store/document-views.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';

const MAX_PAGE = 1_000;

/** Methods that read subscriptions, invoices and receipts. */
export function documentMethods({
  views,
  subscriptions,
  details,
  requirePayer,
  gatewayName,
}: {
  readonly views: DocumentViews;
  readonly subscriptions: SubscriptionStore;
  readonly details: DetailsStore;
  readonly requirePayer: RequirePayer;
  /** Name of the gateway; empty: this installation sells nothing. */
  readonly gatewayName: string;
}): BoundMethod[] {
  return [
    handle(Rpc.getSubscription, async (_, ctx) => {
      const { workspaceId } = callerOf(ctx);
      const [row, stored] = await Promise.all([subscriptions.live(workspaceId), details.find(workspaceId)]);
      const subscription = row !== undefined && isLive(row) ? toSubscription(row) : undefined;
      return { subscription, details: stored, gateway: gatewayName };
    }),
    handle(Rpc.setBillingDetails, async ({ details: given }, ctx) => {
      const by = actedBy(callerOf(ctx));
      const { workspaceId } = by;
      if (given === undefined) throw new AppError('validation', 'details: expected the billing details');
      await requirePayer(workspaceId);
      await details.save(workspaceId, given, audited(by, 'billing_details.changed', workspaceId));
      return {};
    }),
    handle(Rpc.listInvoices, async ({ cursor, limit }, ctx) => {
      const page = pageSize(limit);
      const rows = await views.invoices({ workspaceId: callerOf(ctx).workspaceId, cursor, limit: page });
      const invoices = rows.slice(0, page).map(toInvoice);
      return { invoices, nextCursor: rows.length > page ? invoices.at(-1)?.id : undefined };
    }),
    handle(Rpc.listReceipts, async ({ cursor, limit }, ctx) => {
      const page = pageSize(limit);
      const rows = await views.receipts({ workspaceId: callerOf(ctx).workspaceId, cursor, limit: page });
      const receipts = rows.slice(0, page);
      return { receipts, nextCursor: rows.length > page ? receipts.at(-1)?.invoiceId : undefined };
    }),
    handle(Rpc.renderDocument, async ({ id }, ctx) => {
      const document = await views.find(callerOf(ctx).workspaceId, id);
      if (document === undefined) throw new AppError('not_found', 'document not found');
      const nonce = randomBytes(16).toString('base64');
      return { html: renderDocument(document, nonce), nonce, number: document.number };
    }),
  ];
}

const pageSize = (limit: number): number => Math.min(Math.max(limit, 1), MAX_PAGE);

/** The use cases of a gateway. */
export interface Sale {
  readonly subscribe: Subscribe;
  readonly confirm: Confirm;
  readonly planChange: PlanChange;
  readonly changeSubscription: ChangeSubscription;
  readonly keepSubscription: KeepSubscription;
  readonly cancelSubscription: CancelSubscription;
  readonly changeCard: ChangeCard;
  readonly buyCredits: BuyCredits;
  readonly receive: (message: ReceivedMessage & { readonly gateway: string }) => Promise<void>;
}

/** Methods that change subscriptions and sell credits. */
export function saleMethods({
  subscribe,
  confirm,
  planChange,
  changeSubscription,
  keepSubscription,
  cancelSubscription,
  changeCard,
  buyCredits,
  receive,
}: Sale): BoundMethod[] {
  return [
    handle(Rpc.subscribe, async ({ plan, period, currency, details }, ctx) => {
      const request = { by: actedBy(callerOf(ctx)), plan, period: periodOf(period), currency };
      return { checkout: toCheckout(await subscribe({ ...request, details: toBuyer(details) })) };
    }),
    handle(Rpc.confirm, async ({ id, paymentId, signature }, ctx) => ({
      isComplete: await confirm({ workspaceId: callerOf(ctx).workspaceId, id, paymentId, signature }),
    })),
    handle(Rpc.changeSubscription, async ({ plan, period, preview, previewedAt }, ctx) => {
      const request = { by: actedBy(callerOf(ctx)), plan, period: periodOf(period), previewedAt };
      if (!preview) {
        const checkout = await changeSubscription(request);
        return { preview: undefined, checkout: checkout === undefined ? undefined : toCheckout(checkout) };
      }
      const { taxed, ...amounts } = (await planChange(request)).preview;
      return { preview: { ...amounts, lines: toLines(toStoredLines(taxed.lines)) }, checkout: undefined };
    }),
    handle(Rpc.keepSubscription, async (_, ctx) => {
      await keepSubscription(actedBy(callerOf(ctx)));
      return {};
    }),
    handle(Rpc.cancelSubscription, async (_, ctx) => {
      await cancelSubscription(actedBy(callerOf(ctx)));
      return {};
    }),
    handle(Rpc.changeCard, async (_, ctx) => ({ checkout: toCheckout(await changeCard(actedBy(callerOf(ctx)))) })),
    handle(Rpc.buyCredits, async ({ details, ...request }, ctx) => {
      const by = actedBy(callerOf(ctx));
      const { checkout, replayed } = await buyCredits({ ...request, by, details: toBuyer(details) });
      return { checkout: toCheckout(checkout), replayed };
    }),
    handle(Rpc.receiveMessage, async (message) => {
      await receive(message);
      return {};
    }),
  ];
}

/** The methods of an installation without a payment gateway: they refuse. */
export function closedShop(): BoundMethod[] {
  const refuse = async (): Promise<never> => {
    throw new AppError(
      'conflict',
      'this installation sells no plans and credits: no payment gateway is configured (PAYMENT_GATEWAY)',
    );
  };
  return [
    handle(Rpc.subscribe, refuse),
    handle(Rpc.confirm, refuse),
    handle(Rpc.changeSubscription, refuse),
    handle(Rpc.keepSubscription, refuse),
    handle(Rpc.cancelSubscription, refuse),
    handle(Rpc.changeCard, refuse),
    handle(Rpc.buyCredits, refuse),
    handle(Rpc.receiveMessage, async () => {
      throw new AppError('not_found', 'no payment gateway is configured');
    }),
  ];
}

function periodOf(period: string): BillingPeriod {
  if (period === 'month' || period === 'year') return period;
  throw new AppError('validation', 'period: expected month or year');
}

const toBuyer = (details: BillingDetails | undefined): Buyer | undefined => details;

const toLines = (lines: readonly StoredLine[]): PriceLine[] =>
  lines.map(({ tax, ...line }) => ({ ...line, tax: tax.map((part) => ({ ...part })) }));

const toCheckout = ({ lines, options, ...checkout }: Checkout): CheckoutMessage => ({
  ...checkout,
  lines: toLines(lines),
  options: { ...options },
});

function toSubscription(row: SubscriptionRow & { readonly state: 'active' | 'past_due' }) {
  const { id, state, plan, period, currency, cancelAtEnd, card, next, paidUntil } = row;
  return {
    id,
    state,
    plan,
    period,
    currency,
    cancelAtEnd,
    card,
    netMinor: Number(row.netMinor),
    currentStart: row.paidFrom ?? undefined,
    currentEnd: paidUntil ?? undefined,
    next: next === null ? undefined : { plan: next.plan, period: next.period, at: paidUntil ?? undefined },
    pastDueSince: state === 'past_due' ? (paidUntil ?? undefined) : undefined,
  };
}

function toInvoice({ creditNotes, ...invoice }: InvoiceRow) {
  const credited = creditNotes.reduce((sum, note) => sum + note.totalMinor, 0);
  return {
    ...invoice,
    state: invoiceState(BigInt(invoice.totalMinor), BigInt(credited)),
    creditNotes: creditNotes.map((note) => ({ ...note })),
  };
}
