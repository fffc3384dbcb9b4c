import type { Logger } from '@tidemark/service';
import type { LedgerStore } from './store/ledger-store.ts';

const EVERY_MS = 30_000;

/** Gives back what dead work held. Any number of replicas may do it. */
export function sweepLeases(ledger: LedgerStore, log: Logger): { close(): void } {
  const timer = setInterval(() => {
    ledger.giveBackExpired().then(
      (count) => count > 0 && log.info({ leases: count }, 'gave back credits of work that died'),
      (error: unknown) => log.warn({ err: error }, 'expired leases could not be given back; the next sweep tries'),
    );
  }, EVERY_MS);
  return { close: () => clearInterval(timer) };
}
