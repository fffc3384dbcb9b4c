import { isPoison, poisonReason } from '@tidemark/leased-work';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { MessageStore, StoredMessage } from '../store/message-store.ts';
import { applyRefund, type RefundDeps } from './apply-refund.ts';
import { fetchKnown, type MatchDeps, settleKnown } from './match-payments.ts';
import { isTaken } from './settle-order.ts';

export interface ProcessDeps extends RefundDeps, MatchDeps {
  readonly pool: pg.Pool;
  readonly messages: MessageStore;
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
      const { id, type, interruptions } = message;
      if (isPoison(interruptions)) {
        log.error({ message: id, type }, `payment message dropped: ${poisonReason('processed it')}`);
        await messages.drop(id);
        continue;
      }
      try {
        if (await processMessage(message, deps)) await messages.done(id);
        else if (!(await messages.retry(message)))
          log.warn({ message: id, type }, 'payment message names no known object, dropped');
      } catch (error) {
        log.warn({ err: error, message: id, type }, 'payment message failed, will retry');
        await messages.retry(message);
      }
    }
    return claimed.length > 0;
  };
}

/** @returns false if the objects of the message are unknown. A captured payment among them is stored for a later comparison. */
async function processMessage(message: StoredMessage, deps: ProcessDeps): Promise<boolean> {
  if (await settleKnown(message, deps)) return true;
  const { orderId, subscriptionId, paymentId } = message;
  if (paymentId === '') return false;
  const payment = await fetchKnown(deps.gateway, paymentId);
  if (payment === undefined) return false;
  if (await inTransaction(deps.pool, (db) => applyRefund(db, payment, deps))) return true;
  if (!isTaken(payment)) return false;
  await deps.unmatched.insert({ payment, orderId, subscriptionId, reason: 'unknown_object' });
  return true;
}
