import { controls, work } from '@tidemark/contracts';
import type { Bus, Logger } from '@tidemark/service';

export interface CallOffDeps {
  readonly bus: Pick<Bus, 'drop' | 'control'>;
  readonly log: Logger;
  /** Leaves out pages in flight that a stopping run does not wait for. @returns their captures */
  readonly leaveOutUnneeded: (runId: string) => Promise<readonly string[]>;
}

/** Stops workers from fetching pages that a run no longer needs. */
export interface CallOff {
  /** Drops the queued work of a run that no worker has received. @throws Error if the queue is unavailable */
  dropWork(runId: string): Promise<void>;
  /** Has workers return the pages of a paused run whose fetch has not begun, and report the others. May be lost. */
  pausedRun(runId: string, pauses: number): void;
  /** Drops the queued work of a run and has workers abort its pages. Later results are discarded. */
  run(runId: string): Promise<void>;
  /** The same for the pages that a stopping run does not wait for. */
  stoppingRun(runId: string): Promise<void>;
}

export function makeCallOff({ bus, log, leaveOutUnneeded }: CallOffDeps): CallOff {
  return {
    dropWork: (runId) => bus.drop(work.page, runId),
    pausedRun: (runId, pauses) => bus.control.send(controls.runPaused, { runId, pauses }),
    async run(runId) {
      // The run ends even while the queue is unavailable: the next report of a worker is answered with a call-off.
      await bus.drop(work.page, runId).catch((error: unknown) => {
        log.warn({ err: error, run: runId }, 'drop of queued work failed for an ended run');
      });
      bus.control.send(controls.pagesCalledOff, { runId, pages: { $case: 'all', value: {} } });
    },
    async stoppingRun(runId) {
      const ids = await leaveOutUnneeded(runId);
      if (ids.length > 0)
        bus.control.send(controls.pagesCalledOff, { runId, pages: { $case: 'only', value: { ids: [...ids] } } });
    },
  };
}
