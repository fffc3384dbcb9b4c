import { AppError } from '@tidemark/errors';
import { type SettleSubscriptionDeps, sendCancellation } from '../settle/settle-subscription.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import { type Checkout, subscriptionCheckout } from './checkout.ts';

type Deps = Pick<SettleSubscriptionDeps, 'gateway' | 'subscriptions' | 'log'>;

/** Makes the operations on a live subscription: keep it as it is, cancel it at the end of the period, put in a new card. */
export function makeEndSubscription(deps: Deps) {
  const { gateway, subscriptions } = deps;

  async function requireLive(workspaceId: string): Promise<SubscriptionRow> {
    const row = await subscriptions.live(workspaceId);
    if (row === undefined) throw new AppError('conflict', 'the workspace has no subscription');
    return row;
  }

  return {
    /** Calls off a downgrade. @throws AppError conflict if none is scheduled */
    async keep(workspaceId: string): Promise<void> {
      const row = await requireLive(workspaceId);
      if (row.next === null)
        throw new AppError(
          'conflict',
          row.cancelAtEnd ? 'a cancellation can not be called off; subscribe again' : 'no change is scheduled',
        );
      await gateway.keep(row.gatewayId ?? '');
      await subscriptions.setNext(row.id, null);
    },

    /** Cancels at the end of the paid period; an unpaid subscription now. @throws AppError conflict if it is cancelled already */
    async cancel(workspaceId: string): Promise<void> {
      const row = await requireLive(workspaceId);
      if (row.cancelAtEnd) throw new AppError('conflict', 'the subscription is cancelled already');
      const closing = row.state === 'past_due' ? 'now' : 'cycle_end';
      await subscriptions.close(row.id, closing);
      await sendCancellation({ ...row, closing }, deps);
    },

    /** Returns the checkout of a new card. */
    async card(workspaceId: string): Promise<Checkout> {
      const row = await requireLive(workspaceId);
      const gatewayId = row.gatewayId ?? '';
      const { url, ...checkout } = await subscriptionCheckout(gateway, row, gatewayId);
      const { url: page, ...options } = await gateway.card(gatewayId);
      return { ...checkout, kind: 'card', amountMinor: 0, lines: [], url: page ?? url, options };
    },
  };
}
