import { controls } from '@tidemark/contracts';
import type { PagesInProgress } from '@tidemark/contracts/crawl/v1/control';
import type { Bus, Logger } from '@tidemark/service';
import type { InProgressStore } from '../store/frontier/in-progress-store.ts';
import type { WithdrawnStore } from '../store/frontier/withdrawn-store.ts';
import type { HeldHostStore } from '../store/runs/held-host-store.ts';

interface Deps {
  readonly inProgress: Pick<InProgressStore, 'keep'>;
  readonly withdrawn: Pick<WithdrawnStore, 'returnPages' | 'takeBack'>;
  /** Wakes the run's orchestrator, if this instance holds the lease. */
  readonly wake: (runId: string) => void;
  readonly held: Pick<HeldHostStore, 'record'>;
  readonly log: Logger;
}

/** Handles reports of workers: queues pages again that they return, keeps those they hold from being offered
 * again, and calls off those that are no longer needed. */
export function consumePagesInProgress({ control }: Pick<Bus, 'control'>, deps: Deps): void {
  const { inProgress, withdrawn, held, wake, log } = deps;
  const handle = async ({ runId, captureIds, held: hosts, returned, pauses }: PagesInProgress): Promise<void> => {
    if (returned.length > 0) await withdrawn.returnPages(runId, pauses ?? 0, returned);
    if (pauses !== undefined) {
      if (captureIds.length > 0) await withdrawn.takeBack(runId, pauses, captureIds);
      wake(runId);
    }
    await held.record(runId, hosts);
    const stillOpen = new Set(await inProgress.keep(runId, captureIds));
    const ids = captureIds.filter((id) => !stillOpen.has(id));
    if (ids.length > 0) control.send(controls.pagesCalledOff, { runId, pages: { $case: 'only', value: { ids } } });
  };
  const onPages = (pages: PagesInProgress): void => {
    // A worker reports again before a page counts as lost.
    handle(pages).catch((error: unknown) => {
      log.warn({ err: error, run: pages.runId }, 'report of pages in progress failed');
    });
  };
  control.receive(controls.pagesInProgress, onPages, 'crawl');
}
