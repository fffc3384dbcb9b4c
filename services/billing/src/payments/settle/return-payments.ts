import { AppError } from '@tidemark/errors';
import type { FetchedPayment, PaymentGateway } from '../port/gateway.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';

/** Returns whether the checkout of a subscription is rejected: the workspace has another subscription, or is deleted. */
export const isRejected = ({ state, cancelAtEnd }: Pick<SubscriptionRow, 'state' | 'cancelAtEnd'>): boolean =>
  state === 'expired' && cancelAtEnd;

/** Returns whether an error states that the workspace has another live subscription. */
export const isDuplicate = (error: unknown): boolean => error instanceof AppError && error.code === 'conflict';

/** Refunds what was paid for a rejected checkout. Safe to repeat: the gateway makes each refund once. */
export async function returnPayments(gateway: PaymentGateway, payments: readonly FetchedPayment[]): Promise<void> {
  for (const { id: paymentId, state, amountMinor, refundedMinor } of payments)
    if (state === 'captured' && refundedMinor === 0)
      await gateway.refund({ paymentId, ref: `rejected_${paymentId}`, amountMinor });
}
