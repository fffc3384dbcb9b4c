import { type Logger, PeriodicTask } from '@tidemark/service';
import type { LedgerStore } from '../store/ledger-store.ts';

interface Deps {
  readonly ledger: LedgerStore;
  readonly everyMs: number;
  readonly log: Logger;
}

/** Releases expired leases periodically. Several replicas may run it concurrently. */
export function openLeaseSweep({ ledger, everyMs, log }: Deps): PeriodicTask {
  return new PeriodicTask({
    everyMs,
    log,
    failed: 'release of expired credit leases failed, will retry',
    async run() {
      const count = await ledger.releaseExpired();
      if (count > 0) log.info({ leases: count }, 'expired credit leases released');
    },
  });
}
