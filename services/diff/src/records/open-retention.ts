import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import { type Logger, PeriodicTask } from '@tidemark/service';
import type pg from 'pg';
import { DiscardStore } from '../store/discard-store.ts';
import { ReleaseStore } from '../store/release-store.ts';

/** Interval of the retention sweep. */
const SWEEP_INTERVAL_MS = 10 * 60_000;

export interface RetentionDeps {
  readonly pool: pg.Pool;
  readonly log: Logger;
}

/** Deletes the data of discarded runs and deleted projects on request, and sweeps expired rows periodically. */
export function openRetention({ pool, log }: RetentionDeps) {
  const discards = new DiscardStore(pool);
  const releases = new ReleaseStore(pool);
  const sweep = new PeriodicTask({
    everyMs: SWEEP_INTERVAL_MS,
    run: async (isRunning) => {
      await discards.sweep(isRunning);
      await releases.deleteExpired();
    },
    failed: 'retention sweep failed, will retry at the next interval',
    log,
  });
  return {
    discardRuns: (runs: readonly RunDiscarded[]): Promise<void> => discards.discardRuns(runs),
    discardProjects: (projects: readonly ProjectDeleted[]): Promise<void> => discards.discardProjects(projects),
    close: (): Promise<void> => sweep.close(),
  };
}
