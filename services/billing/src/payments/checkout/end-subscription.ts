import { AppError } from '@tidemark/errors';
import type { PaymentGateway } from '../port/gateway.ts';
import type { SendCancellation } from '../settle/send-cancellation.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';
import { type Checkout, subscriptionCheckout } from './checkout.ts';

/** Calls off a downgrade. @throws AppError conflict if none is scheduled */
export type KeepSubscription = (workspaceId: string) => Promise<void>;

export function makeKeepSubscription({
  gateway,
  subscriptions,
}: {
  readonly gateway: PaymentGateway;
  readonly subscriptions: SubscriptionStore;
}): KeepSubscription {
  return async (workspaceId) => {
    const row = await requireLive(subscriptions, workspaceId);
    if (row.next === null)
      throw new AppError(
        'conflict',
        row.cancelAtEnd ? 'a cancellation can not be called off; subscribe again' : 'no change is scheduled',
      );
    await gateway.keep(row.gatewayId ?? '');
    await subscriptions.setNext(row.id, null);
  };
}

/** Cancels at the end of the paid period; an unpaid subscription now. @throws AppError conflict if it is cancelled already */
export type CancelSubscription = (workspaceId: string) => Promise<void>;

export function makeCancelSubscription({
  subscriptions,
  sendCancellation,
}: {
  readonly subscriptions: SubscriptionStore;
  readonly sendCancellation: SendCancellation;
}): CancelSubscription {
  return async (workspaceId) => {
    const row = await requireLive(subscriptions, workspaceId);
    if (row.cancelAtEnd) throw new AppError('conflict', 'the subscription is cancelled already');
    const closing = row.state === 'past_due' ? 'now' : 'cycle_end';
    await subscriptions.close(row.id, closing);
    await sendCancellation({ ...row, closing });
  };
}

/** Returns the checkout of a new card. @throws AppError conflict without a subscription */
export type ChangeCard = (workspaceId: string) => Promise<Checkout>;

export function makeChangeCard({
  gateway,
  subscriptions,
}: {
  readonly gateway: PaymentGateway;
  readonly subscriptions: SubscriptionStore;
}): ChangeCard {
  return async (workspaceId) => {
    const row = await requireLive(subscriptions, workspaceId);
    const gatewayId = row.gatewayId ?? '';
    const { url, ...checkout } = await subscriptionCheckout(gateway, row, gatewayId);
    const { url: page, ...options } = await gateway.card(gatewayId);
    return { ...checkout, kind: 'card', amountMinor: 0, lines: [], url: page ?? url, options };
  };
}

async function requireLive(subscriptions: SubscriptionStore, workspaceId: string): Promise<SubscriptionRow> {
  const row = await subscriptions.live(workspaceId);
  if (row === undefined) throw new AppError('conflict', 'the workspace has no subscription');
  return row;
}
