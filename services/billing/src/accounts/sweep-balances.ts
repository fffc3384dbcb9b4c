import { type Logger, observeCount, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type { BalanceCheckStore } from '../store/balance-check-store.ts';

interface Deps {
  readonly checks: BalanceCheckStore;
  readonly everyMs: number;
  readonly log: Logger;
}

/**
 * Compares each account once a day with its ledger and its leases, and logs differences. Nothing is corrected: a difference is a defect,
 * and its cause decides which side is right. The gauge `tidemark_balance_differences` counts the accounts concerned.
 */
export function openBalanceSweep({ checks, everyMs, log }: Deps): PeriodicTask {
  observeCount('tidemark_balance_differences', () => checks.countWithDifferences());
  return new PeriodicTask({
    everyMs,
    log,
    failed: 'comparison of accounts with the ledger failed, will retry',
    run: (isOpen) =>
      repeatUntilDone(async () => {
        const differences = await checks.checkSome();
        for (const { workspaceId, column, stored, expected } of differences ?? [])
          log.error(
            { workspace: workspaceId, column, stored, expected },
            'account differs from its ledger, credits need a correction by an operator',
          );
        return differences !== undefined;
      }, isOpen),
  });
}
