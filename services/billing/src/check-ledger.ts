import { type Logger, observeGauge, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type { DriftStore } from './store/drift-store.ts';

interface Deps {
  readonly drifts: DriftStore;
  /** How often it is checked whether a comparison is due, ms. */
  readonly everyMs: number;
  /** How often all accounts are compared, s. */
  readonly everySeconds: number;
  readonly log: Logger;
}

/** Compares all accounts with the ledger periodically, logs those that differ, and registers the gauge `tidemark_ledger_drift`. */
export function openLedgerCheck({ drifts, everyMs, everySeconds, log }: Deps): PeriodicTask {
  observeGauge('tidemark_ledger_drift', 'billing', () => drifts.drift());
  return new PeriodicTask({
    ...{ everyMs, log, failed: 'comparison of accounts with the ledger failed, will retry' },
    run: (isOpen) =>
      repeatUntilDone(async () => {
        const found = await drifts.compareNext(everySeconds);
        for (const { workspaceId, broken } of found ?? [])
          log.error({ workspace: workspaceId, broken }, 'an account differs from the ledger');
        return found !== undefined;
      }, isOpen),
  });
}
