import { type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type { PlanStore } from './store/plan-store.ts';

interface Deps {
  readonly plans: PlanStore;
  readonly everyMs: number;
  readonly log: Logger;
}

/** Begins the periods that are due. Several replicas may run it concurrently; the first work after the end of a period does the same. */
export function openPeriodSweep({ plans, everyMs, log }: Deps): PeriodicTask {
  return new PeriodicTask({
    ...{ everyMs, log, failed: 'begin of due credit periods failed, will retry' },
    run: (isOpen) => repeatUntilDone(async () => (await plans.beginDuePeriods()) > 0, isOpen),
  });
}
