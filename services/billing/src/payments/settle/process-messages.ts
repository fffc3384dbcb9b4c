import { AppError } from '@tidemark/errors';
import { inTransaction, type Logger } from '@tidemark/service';
import type pg from 'pg';
import type { PaymentGateway } from '../port/gateway.ts';
import type { MessageStore, StoredMessage } from '../store/message-store.ts';
import type { OrderRow, OrderStore } from '../store/order-store.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';
import { applyRefund, type RefundDeps } from './apply-refund.ts';

export interface ProcessDeps extends RefundDeps {
  readonly pool: pg.Pool;
  readonly gateway: PaymentGateway;
  readonly messages: MessageStore;
  readonly orders: OrderStore;
  readonly subscriptions: SubscriptionStore;
  readonly settleOrder: (order: OrderRow) => Promise<boolean>;
  readonly settleSubscription: (row: SubscriptionRow) => Promise<boolean>;
  readonly log: Logger;
}

const BATCH = 20;

/**
 * Makes a function that processes stored messages, and returns whether there were any. A message is a hint: what it names is fetched and
 * compared. One about an unknown object stays for later, because it may arrive before our own row.
 */
export function makeProcessMessages(deps: ProcessDeps) {
  const { messages, log } = deps;
  return async (): Promise<boolean> => {
    const claimed = await messages.claim(BATCH);
    for (const message of claimed) {
      try {
        if (await processMessage(message, deps)) await messages.done(message.id);
        else if (!(await messages.retry(message)))
          log.warn({ message: message.id, type: message.type }, 'payment message names no known object, dropped');
      } catch (error) {
        log.warn({ err: error, message: message.id, type: message.type }, 'payment message failed, will retry');
        await messages.retry(message);
      }
    }
    return claimed.length > 0;
  };
}

/** @returns false if the objects of the message are unknown */
async function processMessage(
  { orderId, subscriptionId, paymentId }: StoredMessage,
  deps: ProcessDeps,
): Promise<boolean> {
  const order = orderId === '' ? undefined : await deps.orders.byGatewayId(orderId);
  if (order !== undefined) await deps.settleOrder(order);
  const subscription = subscriptionId === '' ? undefined : await deps.subscriptions.byGatewayId(subscriptionId);
  if (subscription !== undefined) await deps.settleSubscription(subscription);
  if (order !== undefined || subscription !== undefined) return true;
  if (paymentId === '') return false;
  const payment = await fetchPayment(paymentId, deps);
  return payment !== undefined && inTransaction(deps.pool, (db) => applyRefund(db, payment, deps));
}

async function fetchPayment(id: string, { gateway }: ProcessDeps) {
  try {
    return await gateway.fetchPayment(id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}
