import type { Logger } from '@tidemark/service';
import type { PaymentGateway } from '../port/gateway.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';

/** Sends a cancellation that is recorded and not confirmed. A failure is left to the reconciler. */
export type SendCancellation = (subscription: Pick<SubscriptionRow, 'id' | 'gatewayId' | 'closing'>) => Promise<void>;

export function makeSendCancellation({
  gateway,
  subscriptions,
  log,
}: {
  readonly gateway: PaymentGateway;
  readonly subscriptions: SubscriptionStore;
  readonly log: Logger;
}): SendCancellation {
  return async ({ id, gatewayId, closing }) => {
    if (closing === null || gatewayId === null) return;
    try {
      await gateway.cancel(gatewayId, closing);
      await subscriptions.closed(id);
    } catch (error) {
      log.warn({ err: error, subscription: id }, 'cancellation at the payment gateway failed, will retry');
    }
  };
}
