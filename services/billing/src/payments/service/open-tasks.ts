import { type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type { BillOverage } from '../overage/bill-overage.ts';
import type { MatchPayments } from '../settle/match-payments.ts';
import type { ProcessMessages } from '../settle/process-messages.ts';
import type { Reconcile } from '../settle/reconcile.ts';
import type { RemindUnpaid } from '../settle/unpaid-renewal.ts';

/** Messages that could not be processed at once are tried again at this interval, ms. */
const MESSAGES_MS = 5_000;
const RECONCILE_MS = 5 * 60_000;

export interface PaymentTasks {
  /** Processes the stored messages now. */
  processMessages(): void;
  /** Compares with the gateway now. */
  reconcile(): void;
  close(): Promise<void>;
}

/** Opens the tasks behind the payments: messages, comparison with the gateway, overage, reminders, unmatched payments. */
export function openTasks({
  processMessages,
  reconcile,
  billOverage,
  remindUnpaid,
  matchPayments,
  sweepMs,
  log,
}: {
  readonly processMessages: ProcessMessages;
  readonly reconcile: Reconcile;
  readonly billOverage: BillOverage;
  readonly remindUnpaid: RemindUnpaid;
  readonly matchPayments: MatchPayments;
  /** How often overage, reminders and unmatched payments are processed, ms. */
  readonly sweepMs: number;
  readonly log: Logger;
}): PaymentTasks {
  const messages = new PeriodicTask({
    everyMs: MESSAGES_MS,
    log,
    failed: 'processing of payment messages failed, will retry',
    run: (isOpen) => repeatUntilDone(processMessages, isOpen),
  });
  const comparison = new PeriodicTask({
    everyMs: RECONCILE_MS,
    log,
    failed: 'comparison with the payment gateway failed, will retry',
    run: reconcile,
  });
  // Messages may have been lost while no process ran.
  void comparison.runNow();
  const overage = new PeriodicTask({
    everyMs: sweepMs,
    log,
    failed: 'charging of overage failed, will retry',
    run: billOverage,
  });
  const reminders = new PeriodicTask({
    everyMs: sweepMs,
    log,
    failed: 'reminders of unpaid renewals failed, will retry',
    run: remindUnpaid,
  });
  const matching = new PeriodicTask({
    everyMs: sweepMs,
    log,
    failed: 'comparison of unmatched payments failed, will retry',
    run: matchPayments,
  });
  return {
    processMessages: () => void messages.runNow(),
    reconcile: () => void comparison.runNow(),
    async close() {
      await Promise.all([messages, comparison, overage, reminders, matching].map((task) => task.close()));
    },
  };
}
