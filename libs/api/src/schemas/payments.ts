import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nameText } from './parts.ts';

export const INVOICE_STATES = ['paid', 'partly_refunded', 'refunded'] as const;
export const CHECKOUT_KINDS = ['subscription', 'order', 'card'] as const;

const Minor = z.int().describe('Minor units of the currency');
const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'expected an ISO 4217 code such as INR')
  .default('INR')
  .describe('ISO 4217 code');
const Period = z.enum(['month', 'year']);
const optionalText = (max: number) => z.string().trim().max(max).default('');

/** The buyer as invoices name it. */
export const BillingDetails = z
  .strictObject({
    legal_name: nameText(200).min(1, 'expected the name of the buyer'),
    address: optionalText(500),
    country: z.string().regex(/^[A-Z]{2}$/, 'expected an ISO 3166-1 code such as IN'),
    state: optionalText(60),
    tax_id: optionalText(40).describe('GSTIN or VAT number'),
    email: z.union([z.literal(''), z.email().max(200)]).default(''),
  })
  .meta({ id: 'BillingDetails' });

export const PriceLine = z
  .object({
    text: z.string(),
    quantity: z.int(),
    netMinor: Minor,
    tax: z.array(z.object({ name: z.string(), rate: z.number().describe('Per cent'), amountMinor: Minor })),
  })
  .meta({ id: 'PriceLine' });

const around = { creditsUsed: z.int(), request_id: z.string() };

export const Checkout = z
  .object({
    kind: z.enum(CHECKOUT_KINDS),
    id: z.string().describe('Sent back to confirm'),
    gateway: z.string(),
    keyId: z.string().describe('Public key of the gateway'),
    subscriptionId: z.string().nullable().describe('At the gateway; null: an order'),
    orderId: z.string().nullable().describe('At the gateway; null: a subscription'),
    amountMinor: z.int().describe('Charged now, tax included, in minor units; 0: a new card'),
    currency: z.string(),
    lines: z.array(PriceLine),
    credits: z.int().describe('Credits of an order'),
    expiresAt: Time,
    url: z.string().nullable().describe('Page that completes the checkout; null: the script of the gateway opens it'),
    options: z.record(z.string(), z.string()).describe('Further options of the checkout of the gateway'),
    ...around,
  })
  .meta({ id: 'Checkout' });

export const ChangePreview = z
  .object({
    creditMinor: z.int().describe('For the unused time of the current price, without tax'),
    chargeMinor: z.int().describe('For the new price, without tax'),
    dueMinor: z.int().describe('Charged now, tax included'),
    lines: z.array(PriceLine),
    allowanceAdded: z.int().describe('Credits added to the current month'),
    at: Time.describe('When the change takes place'),
    ...around,
  })
  .meta({ id: 'ChangePreview' });

export const Subscription = z.object({
  id: z.string(),
  state: z
    .enum(['active', 'past_due'])
    .describe('past_due: a renewal is not paid; the plan stays for seven days, without overage'),
  plan: z.string(),
  period: Period,
  currency: z.string(),
  netMinor: z.int().describe('Price of a period without tax'),
  currentStart: Time,
  currentEnd: Time,
  cancelAtEnd: z.boolean(),
  next: z.object({ plan: z.string(), period: Period, at: Time }).nullable().describe('A scheduled change'),
  card: z.string().describe('Such as Visa 4242; empty: unknown'),
  pastDueSince: Time.nullable(),
});

const CreditNote = z.object({ id: z.string(), number: z.string(), issuedAt: Time, totalMinor: Minor, url: z.string() });

export const Invoice = z
  .object({
    id: z.string(),
    number: z.string(),
    issuedAt: Time,
    kind: z.literal('invoice'),
    totalMinor: Minor,
    currency: z.string(),
    state: z.enum(INVOICE_STATES),
    url: z.string().describe('The page that can be printed'),
    creditNotes: z.array(CreditNote),
  })
  .meta({ id: 'Invoice' });

export const Receipt = z
  .object({
    gatewayPaymentId: z.string(),
    paidAt: Time,
    amountMinor: Minor,
    refundedMinor: Minor,
    currency: z.string(),
    method: z.string().describe('Such as card or upi'),
    invoiceId: z.string(),
  })
  .meta({ id: 'Receipt' });

const plan = z.string().min(1).max(60).describe('A plan of GET /meta that has a price');

export const SubscribeRequest = z
  .strictObject({
    plan,
    period: Period.default('month'),
    currency: Currency,
    billing_details: BillingDetails.optional(),
  })
  .meta({ id: 'SubscribeRequest' });

export const ConfirmRequest = z
  .strictObject({
    id: z.string().max(100).describe('The id of the checkout'),
    payment_id: z.string().min(1).max(100),
    subscription_id: z.string().max(100).optional().describe('As checkout returned it; not used'),
    order_id: z.string().max(100).optional().describe('As checkout returned it; not used'),
    signature: z.string().min(1).max(500),
  })
  .meta({ id: 'ConfirmRequest' });

export const ChangeRequest = z
  .strictObject({
    plan,
    period: Period.default('month'),
    preview: z.boolean().default(false),
    previewed_at: Time.optional().describe(
      '`at` of a preview of the last 15 minutes: the change costs and adds exactly what that preview showed. Not with `preview`',
    ),
  })
  .refine(({ preview, previewed_at: at }) => !preview || at === undefined, {
    path: ['previewed_at'],
    error: 'expected no previewed_at with preview: a preview is of now',
  })
  .meta({ id: 'ChangeRequest' });

export const CancelRequest = z.strictObject({ reason: z.string().max(1_000).optional() }).meta({ id: 'CancelRequest' });

export const BuyCreditsRequest = z
  .strictObject({
    pack: z.string().min(1).max(40).describe('A pack of GET /meta'),
    quantity: z.int().min(1).max(100).default(1),
    currency: Currency,
    billing_details: BillingDetails.optional(),
  })
  .meta({ id: 'BuyCreditsRequest' });

export const PendingPayment = z.object({ state: z.literal('pending'), ...around }).meta({ id: 'PendingPayment' });
