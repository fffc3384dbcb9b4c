/** States of a payment in the order of their rank. A payment that failed may still be captured. */
export const PAYMENT_STATES = ['created', 'failed', 'authorized', 'captured', 'refunded'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** Returns the state with the higher rank: messages arrive repeated and in any order. */
export const laterPaymentState = (a: PaymentState, b: PaymentState): PaymentState => later(PAYMENT_STATES, a, b);

/** States of an order. An order that expired here may still be paid. */
export const ORDER_STATES = ['open', 'expired', 'paid'] as const;
export type OrderState = (typeof ORDER_STATES)[number];

export const laterOrderState = (a: OrderState, b: OrderState): OrderState => later(ORDER_STATES, a, b);

/** States of a refund. A refund that failed at first may be processed by another way. */
export const REFUND_STATES = ['pending', 'failed', 'processed'] as const;
export type RefundState = (typeof REFUND_STATES)[number];

export const laterRefundState = (a: RefundState, b: RefundState): RefundState => later(REFUND_STATES, a, b);

function later<T>(order: readonly T[], a: T, b: T): T {
  return order.indexOf(a) >= order.indexOf(b) ? a : b;
}
