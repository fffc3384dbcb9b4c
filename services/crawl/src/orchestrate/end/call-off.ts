import { controls, work } from '@tidemark/contracts';
import type { Bus, Logger } from '@tidemark/service';

export interface CallOffDeps {
  readonly bus: Pick<Bus, 'drop' | 'control'>;
  readonly log: Logger;
  /** Leaves out pages under way that a stopping run does not wait for. @returns their captures */
  readonly leaveOutUnneeded: (runId: string) => Promise<readonly string[]>;
}

/** Stops workers from fetching pages that a run does not want any more. */
export interface CallOff {
  /** Drops the queued work of a run and has workers abort its pages. What a worker still reports afterwards is discarded. */
  run(runId: string): Promise<void>;
  /** The same for the pages that a stopping run does not wait for. */
  stoppingRun(runId: string): Promise<void>;
}

export function makeCallOff({ bus, log, leaveOutUnneeded }: CallOffDeps): CallOff {
  return {
    async run(runId) {
      // With the queue unavailable, the run ends all the same: workers learn it when they report the pages they hold.
      await bus.drop(work.page, runId).catch((error: unknown) => {
        log.warn({ err: error, run: runId }, 'queued work of an ended run could not be dropped');
      });
      bus.control.send(controls.pagesCalledOff, { runId, captureIds: [] });
    },
    async stoppingRun(runId) {
      const captureIds = await leaveOutUnneeded(runId);
      if (captureIds.length > 0) bus.control.send(controls.pagesCalledOff, { runId, captureIds: [...captureIds] });
    },
  };
}
