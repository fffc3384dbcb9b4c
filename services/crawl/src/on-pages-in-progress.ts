import { controls } from '@tidemark/contracts';
import type { PagesInProgress } from '@tidemark/contracts/crawl/v1/control';
import type { Bus, Logger } from '@tidemark/service';
import type { HeldStore } from './store/held-store.ts';
import type { InProgressStore } from './store/in-progress-store.ts';

interface OnPagesInProgressDeps {
  readonly inProgress: Pick<InProgressStore, 'keep'>;
  readonly held: Pick<HeldStore, 'note'>;
  readonly control: Pick<Bus['control'], 'send'>;
  readonly log: Logger;
}

/** Handles a worker's report of the pages it holds: keeps them from being offered again, and calls off those that are not wanted any more. */
export function makeOnPagesInProgress({ inProgress, held, control, log }: OnPagesInProgressDeps) {
  const handle = async ({ runId, captureIds, held: hosts }: PagesInProgress): Promise<void> => {
    await held.note(runId, hosts);
    const wanted = new Set(await inProgress.keep(runId, captureIds));
    const calledOff = captureIds.filter((id) => !wanted.has(id));
    if (calledOff.length > 0) control.send(controls.pagesCalledOff, { runId, captureIds: calledOff });
  };
  return (message: PagesInProgress): void => {
    // A worker reports again before a page counts as lost.
    handle(message).catch((error: unknown) => {
      log.warn({ err: error, run: message.runId }, 'a report of pages in progress could not be handled');
    });
  };
}
