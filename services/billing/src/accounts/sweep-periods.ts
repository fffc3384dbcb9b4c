import { type Logger, PeriodicTask } from '@tidemark/service';
import type { PlanStore } from '../store/plan-store.ts';

interface Deps {
  readonly plans: PlanStore;
  readonly everyMs: number;
  readonly log: Logger;
}

/**
 * Begins the periods that are due, so that the overage of accounts without further work is charged too. Several replicas may run it
 * concurrently, and a lease does the same for its accounts: a period begins once. Each run passes over every due account once.
 */
export function openPeriodSweep({ plans, everyMs, log }: Deps): PeriodicTask {
  const onFailed = (workspace: string, error: unknown) =>
    log.error({ err: error, workspace }, 'begin of a credit period failed, will retry');
  return new PeriodicTask({
    everyMs,
    log,
    failed: 'begin of due credit periods failed, will retry',
    async run(isOpen) {
      let after = await plans.beginDuePeriods(undefined, onFailed);
      while (after !== undefined && isOpen()) after = await plans.beginDuePeriods(after, onFailed);
    },
  });
}
