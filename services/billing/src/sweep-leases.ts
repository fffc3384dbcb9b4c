import type { Logger } from '@tidemark/service';
import type { LedgerStore } from './store/ledger-store.ts';

const SWEEP_INTERVAL_MS = 30_000;

/** Releases expired leases periodically. Several replicas may run it concurrently. */
export function openLeaseSweep({ ledger, log }: { ledger: LedgerStore; log: Logger }): { close(): void } {
  const timer = setInterval(() => {
    ledger.releaseExpired().then(
      (count) => count > 0 && log.info({ leases: count }, 'expired credit leases released'),
      (error: unknown) => log.warn({ err: error }, 'release of expired credit leases failed, will retry'),
    );
  }, SWEEP_INTERVAL_MS);
  return { close: () => clearInterval(timer) };
}
