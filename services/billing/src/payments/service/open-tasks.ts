import { observeCount, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import { type BillOverageDeps, makeBillOverage } from '../overage/bill-overage.ts';
import { makeMatchPayments } from '../settle/match-payments.ts';
import { makeProcessMessages, type ProcessDeps } from '../settle/process-messages.ts';
import { makeReconcile } from '../settle/reconcile.ts';
import { makeRemindUnpaid, type RemindDeps } from '../settle/unpaid-renewal.ts';

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
export function openTasks(
  deps: ProcessDeps & BillOverageDeps & RemindDeps & { readonly sweepMs: number },
): PaymentTasks {
  const { sweepMs, log } = deps;
  const process = makeProcessMessages(deps);
  const messages = new PeriodicTask({
    everyMs: MESSAGES_MS,
    log,
    failed: 'processing of payment messages failed, will retry',
    run: (isOpen) => repeatUntilDone(process, isOpen),
  });
  const reconcile = new PeriodicTask({
    everyMs: RECONCILE_MS,
    log,
    failed: 'comparison with the payment gateway failed, will retry',
    run: makeReconcile(deps),
  });
  // Messages may have been lost while no process ran.
  void reconcile.runNow();
  const overage = new PeriodicTask({
    everyMs: sweepMs,
    log,
    failed: 'charging of overage failed, will retry',
    run: makeBillOverage(deps),
  });
  const reminders = new PeriodicTask({
    everyMs: sweepMs,
    log,
    failed: 'reminders of unpaid renewals failed, will retry',
    run: makeRemindUnpaid(deps),
  });
  observeCount('tidemark_overage_waiting', () => deps.overage.countWaiting());
  observeCount('tidemark_unmatched_payments', () => deps.unmatched.countReported());
  const matching = new PeriodicTask({
    everyMs: sweepMs,
    log,
    failed: 'comparison of unmatched payments failed, will retry',
    run: makeMatchPayments(deps),
  });
  return {
    processMessages: () => void messages.runNow(),
    reconcile: () => void reconcile.runNow(),
    async close() {
      await Promise.all([messages, reconcile, overage, reminders, matching].map((task) => task.close()));
    },
  };
}
