import { randomUUID } from 'node:crypto';
import { type App, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type pg from 'pg';
import type { StartRun } from '../runs/start-run.ts';
import { DueRunStore } from './due-run-store.ts';
import { Scheduler } from './scheduler.ts';
import { makeStartDueRun } from './start-due-run.ts';

const CLEANUP_EVERY_MS = 3_600_000;

export interface ScheduleDeps {
  readonly app: Pick<App<unknown>, 'own' | 'log'>;
  readonly pool: pg.Pool;
  readonly startRun: StartRun;
  /** Returns whether runs of a workspace may start. */
  readonly isActive: (workspaceId: string) => Promise<boolean>;
  /** Interval of the checks for due runs. */
  readonly everyMs: number;
  readonly now: () => Date;
}

/** Starts due runs in the background, and deletes old due runs. */
export function openSchedule({ app, pool, startRun, isActive, everyMs, now }: ScheduleDeps): void {
  const { log } = app;
  const dueRuns = new DueRunStore(pool, randomUUID());
  const scheduler = new Scheduler({ dueRuns, startRun: makeStartDueRun(startRun, isActive), now, log });
  app.own(
    new PeriodicTask({
      everyMs,
      run: (isRunning) => scheduler.run(isRunning),
      failed: 'check for due runs failed, will retry',
      log,
    }),
  );
  app.own(
    new PeriodicTask({
      everyMs: CLEANUP_EVERY_MS,
      run: (isRunning) => repeatUntilDone(() => dueRuns.deleteOldBatch(), isRunning),
      failed: 'old due runs could not be deleted, will retry',
      log,
    }),
  );
}
