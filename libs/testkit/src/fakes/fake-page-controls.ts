import { controls } from '@tidemark/contracts';
import type { PagesCalledOff } from '@tidemark/contracts/crawl/v1/control';
import type { PageWork } from '@tidemark/contracts/scrape/v1/work';
import type { Bus } from '@tidemark/service';

/** Implements the control messages of crawl: pages called off, pages in progress, and pauses. */
export function watchControls(bus: Bus) {
  const calledOff: PagesCalledOff[] = [];
  /** Pages held here by run, with the number of pauses before their offer; true: being fetched. */
  const held = new Map<string, Map<string, { readonly pauses: number; isStarted: boolean }>>();
  const paused = new Map<string, { readonly pauses: number; readonly returned: Set<string> }>();
  const report = (runId: string): void => {
    const captureIds = [...(held.get(runId) ?? new Map()).keys()];
    const { pauses = 0, returned = new Set<string>() } = paused.get(runId) ?? {};
    if (captureIds.length + returned.size === 0) return;
    const message = { runId, workspaceId: '', captureIds, held: [], returned: [...returned], pauses };
    bus.control.send(controls.pagesInProgress, message);
  };
  bus.control.receive(controls.pagesCalledOff, (pages) => void calledOff.push(pages));
  bus.control.receive(controls.pagesRequested, ({ runId }) => report(runId));
  bus.control.receive(controls.runPaused, ({ runId, pauses }) => {
    if ((paused.get(runId)?.pauses ?? 0) < pauses) paused.set(runId, { pauses, returned: new Set() });
    for (const [captureId, page] of held.get(runId) ?? []) {
      if (page.isStarted || page.pauses >= pauses) continue;
      held.get(runId)?.delete(captureId);
      paused.get(runId)?.returned.add(captureId);
    }
    report(runId);
  });
  const isOpen = (runId: string, captureId: string): boolean =>
    !calledOff.some(
      ({ runId: of, pages }) =>
        of === runId && (pages?.$case === 'all' || (pages?.$case === 'only' && pages.value.ids.includes(captureId))),
    );
  const isWithdrawn = ({ runId, pauses }: PageWork, captureId: string): boolean => {
    const pause = paused.get(runId);
    if (pause === undefined || pause.pauses <= pauses) return false;
    if (!pause.returned.has(captureId)) {
      pause.returned.add(captureId);
      report(runId);
    }
    return true;
  };
  const holding = ({ runId, pauses }: PageWork, captureId: string) => {
    const ofRun = held.get(runId) ?? new Map();
    const page = { pauses, isStarted: false };
    held.set(runId, ofRun.set(captureId, page));
    return {
      start() {
        page.isStarted = true;
      },
      end() {
        if (ofRun.get(captureId) === page) ofRun.delete(captureId);
      },
    };
  };
  return { calledOff, isOpen, holding, isWithdrawn };
}

/** Returns the pages that a message names; none where it calls off every page of the run. */
export const namedPages = ({ pages }: Pick<PagesCalledOff, 'pages'>): readonly string[] =>
  pages?.$case === 'only' ? pages.value.ids : [];
