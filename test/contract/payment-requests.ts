import { NO_CREDIT_NOTE, NO_INVOICE } from '../harness/paths.ts';
import type { Good } from './requests.ts';

const billing =
  (path: string, body: object = {}) =>
  () => ({ path: `/me/billing/${path}`, body });

const confirm = billing('confirm', { id: 'sub_1', payment_id: 'pay_1', signature: 'f' });

/** Requests of subscriptions, orders and documents. The shared fleet has no payment gateway: 409, and no documents. */
export const goodOfPayments = {
  subscribe: { 201: billing('subscribe', { plan: 'starter' }) },
  confirmPayment: { 200: confirm, 202: confirm },
  changePlan: {
    200: billing('change', { plan: 'growth', preview: true }),
    201: billing('change', { plan: 'growth', preview: false }),
  },
  keepPlan: { 200: billing('keep') },
  cancelPlan: { 200: billing('cancel') },
  changeCard: { 201: billing('card') },
  buyCredits: { 201: billing('credits/buy', { pack: 'credits_10000' }) },
  listInvoices: { 200: () => ({ path: '/me/billing/invoices' }) },
  getInvoice: { 200: () => ({ path: `/me/billing/invoices/${NO_INVOICE}` }) },
  listReceipts: { 200: () => ({ path: '/me/billing/receipts' }) },
  getCreditNote: { 200: () => ({ path: `/me/billing/credit-notes/${NO_CREDIT_NOTE}` }) },
} satisfies Readonly<Record<string, Good>>;
