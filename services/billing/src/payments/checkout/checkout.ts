import type { StoredLine } from '../../documents/document.ts';
import { CHECKOUT_MS } from '../../states/subscription-state.ts';
import type { PaymentGateway } from '../port/gateway.ts';
import type { OrderRow } from '../store/order-store.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';

/** What the browser of a customer needs to pay. Amounts are minor units, tax included. */
export interface Checkout {
  readonly kind: 'subscription' | 'order' | 'card';
  /** Our id: sub_…, ord_… */
  readonly id: string;
  readonly gateway: string;
  readonly keyId: string;
  /** At the gateway; empty for the other kind. */
  readonly subscriptionId: string;
  readonly orderId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly lines: readonly StoredLine[];
  readonly credits: number;
  readonly expiresAt: Date;
  /** Page that completes the checkout; empty: the script of the gateway opens it. */
  readonly url: string;
  readonly options: Readonly<Record<string, string>>;
}

const ORDER_MS = 7 * 24 * 3_600_000;

export const subscriptionCheckout = async (
  gateway: PaymentGateway,
  row: SubscriptionRow,
  gatewayId: string,
): Promise<Checkout> => ({
  kind: 'subscription',
  id: row.id,
  gateway: gateway.name,
  keyId: gateway.keyId,
  subscriptionId: gatewayId,
  orderId: '',

  amountMinor: Number(row.dueMinor),
  currency: row.currency,
  lines: row.dueLines,
  credits: 0,
  options: {},
  expiresAt: new Date(row.createdAt.getTime() + CHECKOUT_MS),
  url: (await gateway.checkoutUrl('subscription', gatewayId)) ?? '',
});

export const orderCheckout = async (gateway: PaymentGateway, row: OrderRow, gatewayId: string): Promise<Checkout> => ({
  kind: 'order',
  id: row.id,
  gateway: gateway.name,
  keyId: gateway.keyId,
  subscriptionId: '',
  orderId: gatewayId,

  amountMinor: Number(row.amountMinor),
  currency: row.currency,
  lines: row.lines,
  credits: Number(row.credits),
  options: {},
  expiresAt: new Date(row.createdAt.getTime() + ORDER_MS),
  url: (await gateway.checkoutUrl('order', gatewayId)) ?? '',
});
