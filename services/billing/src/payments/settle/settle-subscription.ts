import { inTransaction, type Logger, type Outbox, type OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import type { Buyer } from '../../documents/document.ts';
import { isLive, mergeSnapshot, stateAt } from '../../states/subscription-state.ts';
import type { FetchedSubscription, PaymentGateway } from '../port/gateway.ts';
import type { DetailsStore } from '../store/details-store.ts';
import type { OverageStore } from '../store/overage-store.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';
import type { UnmatchedStore } from '../store/unmatched-store.ts';
import type { AcceptSubscriptionPayment } from './accept-subscription-payment.ts';
import { type ApplyRefund, NO_DETAILS } from './apply-refund.ts';
import type { OnSubscriptionState } from './on-subscription-state.ts';
import { paidFor } from './paid-for.ts';
import { isDuplicate, isRejected, returnPayments } from './return-payments.ts';
import type { SendCancellation } from './send-cancellation.ts';
import { isTaken } from './settle-order.ts';
import { withReminders, writeUnpaid } from './unpaid-renewal.ts';

interface Fetched {
  readonly fetchedAt: Date;
  readonly subscription: FetchedSubscription;
  readonly buyer: Buyer;
}

/**
 * Compares a subscription with the gateway: each captured payment counts once, with its invoice and plan, and the state
 * follows. Calls in any order and number have one result. A second subscription of a workspace is cancelled, and its payment refunded. It
 * returns whether the subscription is live.
 */
export type SettleSubscription = (
  subscriptionRow: Pick<SubscriptionRow, 'id' | 'workspaceId' | 'gatewayId'>,
) => Promise<boolean>;

export function makeSettleSubscription({
  pool,
  gateway,
  subscriptions,
  details,
  overage,
  unmatched,
  outbox,
  applyRefund,
  acceptPayment,
  onStateChanged,
  sendCancellation,
  now,
  log,
}: {
  readonly pool: pg.Pool;
  readonly gateway: PaymentGateway;
  readonly subscriptions: SubscriptionStore;
  readonly details: DetailsStore;
  readonly overage: OverageStore;
  readonly unmatched: UnmatchedStore;
  readonly outbox: Pick<Outbox, 'send'>;
  readonly applyRefund: ApplyRefund;
  readonly acceptPayment: AcceptSubscriptionPayment;
  readonly onStateChanged: OnSubscriptionState;
  readonly sendCancellation: SendCancellation;
  readonly now: () => Date;
  readonly log: Logger;
}): SettleSubscription {
  return async ({ id, workspaceId, gatewayId }) => {
    if (gatewayId === null) return false;
    const fetchedAt = now();
    const subscription = await gateway.fetchSubscription(gatewayId);
    const buyer = (await details.find(workspaceId)) ?? NO_DETAILS;
    const fetched = { fetchedAt, subscription, buyer };
    const { row, events } = await inTransaction(pool, (db) => settle(db, id, fetched)).catch(async (error: unknown) => {
      if (!isDuplicate(error)) throw error;
      return { row: await subscriptions.reject(id), events: [] };
    });
    if (isRejected(row)) await returnPayments(gateway, subscription.payments);
    if (events.length > 0) outbox.send(events);
    for (const one of [row, row.replaces === null ? undefined : await subscriptions.byId(row.replaces)])
      if (one !== undefined) await sendCancellation(one);
    return isLive(row);
  };

  async function settle(
    db: pg.PoolClient,
    id: string,
    fetched: Fetched,
  ): Promise<{ row: SubscriptionRow; events: OutgoingEvent[] }> {
    const stored = await subscriptions.lock(db, id);
    if (isRejected(stored)) return { row: stored, events: [] };
    const events: (OutgoingEvent | undefined)[] = [];
    let row = stored;
    const taken = fetched.subscription.payments.filter(isTaken);
    for (const payment of taken.toSorted((a, b) => a.paidAt.getTime() - b.paidAt.getTime())) {
      if (await applyRefund(db, payment)) continue;
      const paid = paidFor(row, payment, await overage.unpaid(db, id));
      if (paid === undefined) {
        log.info({ subscription: id, payment: payment.id }, 'payment pays for nothing that is due, not accepted');
        const ofSubscription = { orderId: '', subscriptionId: stored.gatewayId ?? '' };
        await unmatched.insert({ payment, ...ofSubscription, reason: 'nothing_due' }, db);
        continue;
      }
      const accepted = await acceptPayment(db, { row, payment, paid, buyer: fetched.buyer });
      row = accepted.row;
      events.push(accepted.event);
      await applyRefund(db, payment);
    }
    row = withReminders(withState(row, fetched, now()), now());
    events.push(await onStateChanged(db, stored, row));
    const unpaid = await writeUnpaid(db, stored, row);
    if (unpaid !== undefined) events.push(unpaid);
    await subscriptions.save(db, row);
    return { row, events: events.filter((event) => event !== undefined) };
  }
}

/** Merges the state at the gateway. */
function withState(row: SubscriptionRow, { fetchedAt, subscription }: Fetched, now: Date): SubscriptionRow {
  const known = {
    state: row.state,
    gatewayState: row.gatewayState,
    cancelAtEnd: row.cancelAtEnd,
    createdAtMs: row.createdAt.getTime(),
    paidUntilMs: row.paidUntil?.getTime(),
    fetchedAtMs: row.fetchedAt?.getTime() ?? 0,
  };
  const { state: gatewayState, card } = subscription;
  const snapshot = { fetchedAtMs: fetchedAt.getTime(), gatewayState, cancelAtEnd: false, paidUntilMs: [] };
  const merged = mergeSnapshot(known, snapshot);
  return {
    ...row,
    state: stateAt(merged, now.getTime()),
    gatewayState: merged.gatewayState,
    fetchedAt: new Date(merged.fetchedAtMs),
    card: card === '' ? row.card : card,
  };
}
