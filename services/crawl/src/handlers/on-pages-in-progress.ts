import { controls } from '@tidemark/contracts';
import type { PagesInProgress } from '@tidemark/contracts/crawl/v1/control';
import type { Bus, Logger } from '@tidemark/service';
import type { InProgressStore } from '../store/frontier/in-progress-store.ts';
import type { HeldHostStore } from '../store/runs/held-host-store.ts';

interface Deps {
  readonly inProgress: Pick<InProgressStore, 'keep'>;
  readonly held: Pick<HeldHostStore, 'record'>;
  readonly log: Logger;
}

/** Handles reports of workers: keeps the pages they hold from being offered again, and calls off those that are no longer needed. */
export function consumePagesInProgress({ control }: Pick<Bus, 'control'>, { inProgress, held, log }: Deps): void {
  const handle = async ({ runId, captureIds, held: hosts }: PagesInProgress): Promise<void> => {
    await held.record(runId, hosts);
    const stillOpen = new Set(await inProgress.keep(runId, captureIds));
    const calledOff = captureIds.filter((id) => !stillOpen.has(id));
    if (calledOff.length > 0) control.send(controls.pagesCalledOff, { runId, captureIds: calledOff });
  };
  const onPages = (pages: PagesInProgress): void => {
    // A worker reports again before a page counts as lost.
    handle(pages).catch((error: unknown) => {
      log.warn({ err: error, run: pages.runId }, 'report of pages in progress failed');
    });
  };
  control.receive(controls.pagesInProgress, onPages, 'crawl');
}
