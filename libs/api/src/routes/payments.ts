import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Billing } from '../schemas/billing.ts';
import { Cursor, limit, listOf } from '../schemas/parts.ts';
import {
  BuyCreditsRequest,
  CancelRequest,
  ChangePreview,
  ChangeRequest,
  Checkout,
  ConfirmRequest,
  Invoice,
  PendingPayment,
  Receipt,
  SubscribeRequest,
} from '../schemas/payments.ts';

const around = { tag: 'Billing', reach: 'workspace', params: nothing, query: nothing } as const;
const change = { ...around, method: 'post', scope: 'admin' } as const;
const read = { ...around, method: 'get', scope: 'read', body: nothing } as const;
const list = z.strictObject({ cursor: Cursor, limit: limit(50, 1_000) });
const NO_SALE =
  'The deployment has no payment gateway, the workspace is a sub-account, or its subscription is in another state.';

const PrintQuery = z.strictObject({
  format: z.enum(['html', 'pdf']).default('html').describe('pdf: the same page as application/pdf'),
});

export const paymentRoutes = {
  subscribe: route({
    ...change,
    id: 'subscribe',
    path: '/me/billing/subscribe',
    refusals: { conflict: NO_SALE },
    summary: 'Start a subscription; returns what checkout needs',
    description:
      'The plan begins when the payment is captured: confirm it with the values that checkout returns. The gateway’s own message has the same effect.',
    body: SubscribeRequest,
    responses: { 201: Checkout },
    example: { plan: 'starter', period: 'month', currency: 'INR' },
  }),
  confirmPayment: route({
    ...change,
    id: 'confirmPayment',
    path: '/me/billing/confirm',
    refusals: { conflict: NO_SALE, not_found: 'The checkout does not exist.' },
    summary: 'Confirm a checkout with the signature that it returned',
    description:
      'Sets the plan, or adds the credits. Returns 202 until the payment is captured; the message of the gateway completes it then.',
    body: ConfirmRequest,
    responses: { 200: Billing, 202: PendingPayment },
    example: { id: 'sub_01m821pm2hesg9awzs3n6k8v4b', payment_id: 'pay_29QQoUBi66xm2f', signature: 'b6c1…' },
  }),
  changePlan: route({
    ...change,
    id: 'changePlan',
    path: '/me/billing/change',
    refusals: { conflict: NO_SALE },
    summary: 'Change the plan or its period',
    description:
      'An upgrade takes place at once and is paid in checkout, less the unused time of the current price (201). A downgrade takes place at the end of the period (200). With `preview` nothing changes; price and credits of an upgrade fall as the period passes, so send `at` of the preview as `previewed_at` to get what it showed.',
    body: ChangeRequest,
    responses: { 200: z.union([Billing, ChangePreview]), 201: Checkout },
    example: { plan: 'growth', period: 'month', preview: true },
  }),
  keepPlan: route({
    ...change,
    id: 'keepPlan',
    path: '/me/billing/keep',
    refusals: { conflict: NO_SALE },
    summary: 'Call off a scheduled downgrade',
    body: nothing,
    responses: { 200: Billing },
  }),
  cancelPlan: route({
    ...change,
    id: 'cancelPlan',
    path: '/me/billing/cancel',
    refusals: { conflict: NO_SALE },
    summary: 'Cancel the subscription at the end of the paid period',
    description: 'It can not be called off; subscribe again. Data is kept, and bought credits stay.',
    body: CancelRequest,
    responses: { 200: Billing },
    example: { reason: 'The project has ended.' },
  }),
  changeCard: route({
    ...change,
    id: 'changeCard',
    path: '/me/billing/card',
    refusals: { conflict: NO_SALE },
    summary: 'Returns what checkout needs to put a new card on the subscription',
    body: nothing,
    responses: { 201: Checkout },
  }),
  buyCredits: route({
    ...change,
    id: 'buyCredits',
    path: '/me/billing/credits/buy',
    idempotent: true,
    refusals: { conflict: NO_SALE },
    summary: 'Order credit packs; returns what checkout needs',
    body: BuyCreditsRequest,
    responses: { 201: Checkout },
    example: { pack: 'credits_10000', quantity: 2, currency: 'INR' },
  }),
  listInvoices: route({
    ...read,
    id: 'listInvoices',
    path: '/me/billing/invoices',
    summary: 'Invoices with their credit notes, newest first',
    query: list,
    responses: { 200: listOf(Invoice).meta({ id: 'InvoiceList' }) },
  }),
  getInvoice: route({
    ...read,
    id: 'getInvoice',
    path: '/me/billing/invoices/{invoice_id}',
    summary: 'An invoice as a page that can be printed',
    query: PrintQuery,
    params: z.strictObject({ invoice_id: z.string().describe('The invoice, such as inv_01j…') }),
    produces: 'text/html',
    responses: { 200: undefined },
  }),
  listReceipts: route({
    ...read,
    id: 'listReceipts',
    path: '/me/billing/receipts',
    summary: 'Payments, newest first',
    query: list,
    responses: { 200: listOf(Receipt).meta({ id: 'ReceiptList' }) },
  }),
  getCreditNote: route({
    ...read,
    id: 'getCreditNote',
    path: '/me/billing/credit-notes/{note_id}',
    summary: 'A credit note as a page that can be printed',
    query: PrintQuery,
    params: z.strictObject({ note_id: z.string().describe('The credit note, such as crn_01j…') }),
    produces: 'text/html',
    responses: { 200: undefined },
  }),
} as const;
