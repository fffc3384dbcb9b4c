import { AppError } from '@tidemark/errors';
import { writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { audited, type RequestedBy } from '../audited.ts';
import type { PaymentGateway } from '../port/gateway.ts';
import type { SendCancellation } from '../settle/send-cancellation.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';
import { type Checkout, subscriptionCheckout } from './checkout.ts';

/** Calls off a downgrade. @throws AppError conflict if none is scheduled */
export type KeepSubscription = (by: RequestedBy) => Promise<void>;

export function makeKeepSubscription({
  gateway,
  subscriptions,
}: {
  readonly gateway: PaymentGateway;
  readonly subscriptions: SubscriptionStore;
}): KeepSubscription {
  return async (by) => {
    const row = await requireLive(subscriptions, by.workspaceId);
    if (row.next === null)
      throw new AppError(
        'conflict',
        row.cancelAtEnd ? 'a cancellation can not be called off; subscribe again' : 'no change is scheduled',
      );
    await gateway.keep(row.gatewayId ?? '');
    await subscriptions.setNext(row.id, null, [audited(by, 'subscription.kept', row.id)]);
  };
}

/** Cancels at the end of the paid period; an unpaid subscription now. @throws AppError conflict if it is cancelled already */
export type CancelSubscription = (by: RequestedBy) => Promise<void>;

export function makeCancelSubscription({
  subscriptions,
  sendCancellation,
}: {
  readonly subscriptions: SubscriptionStore;
  readonly sendCancellation: SendCancellation;
}): CancelSubscription {
  return async (by) => {
    const row = await requireLive(subscriptions, by.workspaceId);
    if (row.cancelAtEnd) throw new AppError('conflict', 'the subscription is cancelled already');
    const closing = row.state === 'past_due' ? 'now' : 'cycle_end';
    await subscriptions.close(row.id, closing, audited(by, 'subscription.cancelled', row.id, { at: closing }));
    await sendCancellation({ ...row, closing });
  };
}

/** Returns the checkout of a new card. @throws AppError conflict without a subscription */
export type ChangeCard = (by: RequestedBy) => Promise<Checkout>;

export function makeChangeCard({
  pool,
  gateway,
  subscriptions,
}: {
  readonly pool: pg.Pool;
  readonly gateway: PaymentGateway;
  readonly subscriptions: SubscriptionStore;
}): ChangeCard {
  return async (by) => {
    const row = await requireLive(subscriptions, by.workspaceId);
    const gatewayId = row.gatewayId ?? '';
    const { url, ...checkout } = await subscriptionCheckout(gateway, row, gatewayId);
    const { url: page, ...options } = await gateway.card(gatewayId);
    await writeEvents(pool, [audited(by, 'card.change_started', row.id)]);
    return { ...checkout, kind: 'card', amountMinor: 0, lines: [], url: page ?? url, options };
  };
}

async function requireLive(subscriptions: SubscriptionStore, workspaceId: string): Promise<SubscriptionRow> {
  const row = await subscriptions.live(workspaceId);
  if (row === undefined) throw new AppError('conflict', 'the workspace has no subscription');
  return row;
}
