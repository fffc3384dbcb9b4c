import { type Logger, PeriodicTask } from '@tidemark/service';
import type { DiscardStore } from '../store/discard-store.ts';
import type { ReleaseStore } from '../store/release-store.ts';

/** Interval of the retention sweep. */
const SWEEP_INTERVAL_MS = 10 * 60_000;

/** Deletes periodically the data of discarded runs and deleted projects that arrived late, and expired rows of releases. */
export const openRetentionSweep = ({
  discards,
  releases,
  log,
}: {
  readonly discards: Pick<DiscardStore, 'sweep'>;
  readonly releases: Pick<ReleaseStore, 'deleteExpired'>;
  readonly log: Logger;
}): PeriodicTask =>
  new PeriodicTask({
    everyMs: SWEEP_INTERVAL_MS,
    run: async (isRunning) => {
      await discards.sweep(isRunning);
      await releases.deleteExpired();
    },
    failed: 'retention sweep failed, will retry at the next interval',
    log,
  });
