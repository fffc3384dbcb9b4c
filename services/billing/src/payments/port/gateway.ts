import type { PaymentState, RefundState } from '../../states/payment-state.ts';
import type { GatewayState } from '../../states/subscription-state.ts';

export type BillingPeriod = 'month' | 'year';

/** The paying workspace, as the gateway shows and mails it. */
export interface Customer {
  readonly workspaceId: string;
  readonly name: string;
  readonly email: string;
}

/** A price of a plan, tax included: gateways charge gross amounts. */
export interface GatewayPlan {
  readonly plan: string;
  readonly name: string;
  readonly period: BillingPeriod;
  readonly currency: string;
  readonly grossMinor: number;
}

export interface StartRequest {
  /** Our id of the subscription; a repeated request with the same ref creates nothing more. */
  readonly ref: string;
  readonly customer: Customer;
  readonly plan: GatewayPlan;
  /**
   * For an upgrade: this amount is charged at checkout, and the price of the plan from `at` on. Undefined: the price is charged at checkout.
   */
  readonly upfront: { readonly grossMinor: number; readonly text: string; readonly at: Date } | undefined;
}

export interface OrderRequest {
  /** Our id of the order; a repeated request with the same ref creates nothing more. */
  readonly ref: string;
  readonly customer: Customer;
  readonly amountMinor: number;
  readonly currency: string;
  readonly text: string;
}

export interface ChargeRequest {
  readonly subscriptionId: string;
  readonly ref: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly text: string;
}

export interface RefundRequest {
  readonly paymentId: string;
  readonly ref: string;
  readonly amountMinor: number;
}

/** A payment as the gateway reports it. */
export interface FetchedPayment {
  readonly id: string;
  readonly state: PaymentState;
  readonly amountMinor: number;
  readonly currency: string;
  /** Sum of its refunds. */
  readonly refundedMinor: number;
  /** card, upi, netbanking and others. */
  readonly method: string;
  readonly paidAt: Date;
  /** The period that it pays for; undefined for payments without one. */
  readonly period: { readonly start: Date; readonly end: Date } | undefined;
}

export interface FetchedSubscription {
  readonly state: GatewayState;
  /** Such as "Visa 4242"; empty: unknown. */
  readonly card: string;
  /** The latest payments. */
  readonly payments: readonly FetchedPayment[];
}

/** What checkout returns to the browser of the customer. */
export interface CheckoutResult {
  readonly kind: 'order' | 'subscription';
  /** Id of the order or subscription at the gateway: from our row, never from the request. */
  readonly gatewayId: string;
  readonly paymentId: string;
  readonly signature: string;
}

/** A message of the gateway, reduced to ids: what it states is fetched. */
export interface GatewayEvent {
  /** The same in every delivery of the message. */
  readonly id: string;
  readonly type: string;
  readonly orderId: string;
  readonly subscriptionId: string;
  readonly paymentId: string;
}

/** What a message names at most once per request: the body as received, and the headers in lower case. */
export interface ReceivedMessage {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A payment gateway. Every method has a deadline and is safe to repeat with the same ref. @throws AppError unavailable if the gateway can not
 * be reached or fails, conflict if it refuses the request
 */
export interface PaymentGateway {
  readonly name: string;
  /** Public key that checkout needs. */
  readonly keyId: string;
  /** Page on which a customer completes a checkout; undefined: the script of the gateway opens it. */
  checkoutUrl(kind: 'order' | 'subscription', gatewayId: string): Promise<string | undefined>;
  /** Creates a subscription, which the customer then authorizes in checkout. @returns its id at the gateway */
  start(request: StartRequest): Promise<string>;
  /** Changes the plan at the end of the paid period. @throws AppError conflict if the means of payment does not allow it */
  change(subscriptionId: string, plan: GatewayPlan): Promise<void>;
  /** Calls off a scheduled change. */
  keep(subscriptionId: string): Promise<void>;
  /** Cancels a subscription; one that is cancelled or unknown is left as it is. */
  cancel(subscriptionId: string, when: 'now' | 'cycle_end'): Promise<void>;
  /** Options of a checkout that puts a new card on a subscription. */
  card(subscriptionId: string): Promise<Readonly<Record<string, string>>>;
  /** Creates an order, which the customer pays in checkout. @returns its id at the gateway */
  order(request: OrderRequest): Promise<string>;
  fetchOrder(orderId: string): Promise<readonly FetchedPayment[]>;
  fetchSubscription(subscriptionId: string): Promise<FetchedSubscription>;
  fetchPayment(paymentId: string): Promise<FetchedPayment>;
  /** Adds an amount to the next charge of a subscription. */
  addCharge(request: ChargeRequest): Promise<void>;
  refund(request: RefundRequest): Promise<{ readonly id: string; readonly state: RefundState }>;
  /** Returns whether checkout signed this result; true for a gateway that signs none. A good signature does not state an amount: the payment is fetched and compared. */
  verifyCheckout(result: CheckoutResult): boolean;
  /** Verifies and reads a message. @throws AppError validation with status 400 for a bad signature or body */
  readEvent(message: ReceivedMessage): GatewayEvent;
}
