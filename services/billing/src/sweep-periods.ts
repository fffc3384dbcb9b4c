import { type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type { PlanStore } from './store/plan-store.ts';

const SWEEP_INTERVAL_MS = 60_000;

/** Begins the periods that are due. Several replicas may run it concurrently; the first work after the end of a period does the same. */
export function openPeriodSweep({ plans, log }: { readonly plans: PlanStore; readonly log: Logger }): PeriodicTask {
  return new PeriodicTask({
    everyMs: SWEEP_INTERVAL_MS,
    run: (isOpen) => repeatUntilDone(async () => (await plans.beginDuePeriods()) > 0, isOpen),
    failed: 'begin of due credit periods failed, will retry',
    log,
  });
}
