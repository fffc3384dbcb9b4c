import { isPoison, poisonReason } from '@tidemark/leased-work';
import type { Logger } from '@tidemark/service';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { PaymentGateway } from '../port/gateway.ts';
import type { MessageStore, StoredMessage } from '../store/message-store.ts';
import type { UnmatchedStore } from '../store/unmatched-store.ts';
import type { ApplyRefund } from './apply-refund.ts';
import { fetchKnown, type SettleKnown } from './match-payments.ts';
import { isTaken } from './settle-order.ts';

const BATCH = 20;

/**
 * Processes stored messages, and returns whether there were any. A message is a hint: what it names is fetched and
 * compared. One about an unknown object stays for later, because it may arrive before our own row.
 */
export type ProcessMessages = () => Promise<boolean>;

export function makeProcessMessages({
  pool,
  gateway,
  messages,
  unmatched,
  settleKnown,
  applyRefund,
  log,
}: {
  readonly pool: pg.Pool;
  readonly gateway: PaymentGateway;
  readonly messages: MessageStore;
  readonly unmatched: UnmatchedStore;
  readonly settleKnown: SettleKnown;
  readonly applyRefund: ApplyRefund;
  readonly log: Logger;
}): ProcessMessages {
  return async () => {
    const claimed = await messages.claim(BATCH);
    for (const message of claimed) {
      const { id, type, interruptions } = message;
      if (isPoison(interruptions)) {
        log.error({ message: id, type }, `payment message dropped: ${poisonReason('processed it')}`);
        await messages.drop(id);
        continue;
      }
      try {
        if (await processMessage(message)) await messages.done(id);
        else if (!(await messages.retry(message)))
          log.warn({ message: id, type }, 'payment message names no known object, dropped');
      } catch (error) {
        log.warn({ err: error, message: id, type }, 'payment message failed, will retry');
        await messages.retry(message);
      }
    }
    return claimed.length > 0;
  };

  /** @returns false if the objects of the message are unknown. A captured payment among them is stored for a later comparison. */
  async function processMessage(message: StoredMessage): Promise<boolean> {
    if (await settleKnown(message)) return true;
    const { orderId, subscriptionId, paymentId } = message;
    if (paymentId === '') return false;
    const payment = await fetchKnown(gateway, paymentId);
    if (payment === undefined) return false;
    if (await inTransaction(pool, (db) => applyRefund(db, payment))) return true;
    if (!isTaken(payment)) return false;
    await unmatched.insert({ payment, orderId, subscriptionId, reason: 'unknown_object' });
    return true;
  }
}
