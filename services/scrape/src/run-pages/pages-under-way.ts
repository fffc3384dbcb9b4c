import type { PagesCalledOff, PagesInProgress, PagesRequested, RunPaused } from '@tidemark/contracts/crawl/v1/control';
import type { PageOrder, PageWork } from '@tidemark/contracts/scrape/v1/work';
import { AppError } from '@tidemark/errors';
import type { HeldHosts } from './held-hosts.ts';
import { PausedRuns } from './paused-runs.ts';

const PAGES_A_REPORT = 1_000;

/** A page that this process holds. */
export interface PageUnderWay {
  readonly captureId: string;
  readonly runId: string;
  readonly workspaceId: string;
  /** Pauses of its run before it was offered. */
  readonly pauses: number;
  readonly stopped: AbortController;
  readonly sinceMs: number;
  /** It is being fetched, or its result is being stored. */
  isStarted: boolean;
  /** A pause withdrew it: it is returned unless its fetch in progress is its last. */
  isWithdrawn: boolean;
}

interface Deps {
  readonly held: HeldHosts;
  readonly now: () => Date;
  /** Reports pages of a run that are held here. May be lost. */
  readonly report: (pages: PagesInProgress) => void;
}

/** The pages of runs that this process holds: reports them, aborts those that are called off, and returns those that a pause withdraws. */
export class PagesUnderWay {
  readonly #deps: Deps;
  readonly #pages = new Map<string, PageUnderWay>();
  readonly #paused = new PausedRuns();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#pages.size;
  }

  has(captureId: string): boolean {
    return this.#pages.has(captureId);
  }

  begin({ runId, workspaceId, pauses }: PageWork, captureId: string): PageUnderWay {
    const times = { stopped: new AbortController(), sinceMs: performance.now() };
    const page = { captureId, runId, workspaceId, pauses, ...times, isStarted: false, isWithdrawn: false };
    this.#pages.set(captureId, page);
    return page;
  }

  /** Removes a page that has ended, was called off or was returned. */
  end(page: PageUnderWay): void {
    if (this.#pages.get(page.captureId) === page) this.#pages.delete(page.captureId);
  }

  /** Aborts pages of a run that were cancelled. A message that names none changes nothing. */
  callOff({ runId, pages }: PagesCalledOff): void {
    if (pages === undefined) return;
    const named = pages.$case === 'all' ? undefined : new Set(pages.value.ids);
    for (const page of this.#of(runId)) {
      if (named !== undefined && !named.has(page.captureId)) continue;
      page.stopped.abort(new AppError('conflict', 'the page was called off'));
    }
  }

  /** Returns the pages of a paused run that were offered before and are not being fetched. Those being fetched end. */
  pause({ runId, pauses }: RunPaused): void {
    this.#paused.note(runId, pauses);
    for (const page of this.#of(runId)) {
      if (page.pauses >= pauses) continue;
      page.isWithdrawn = true;
      if (!page.isStarted) this.#return(page);
    }
    this.#reportPaused(runId);
  }

  /** Returns whether the run of this work was paused after it was offered. */
  isWithdrawn(work: PageWork): boolean {
    return this.#paused.withdraws(work);
  }

  /** Returns pages of withdrawn work, except those being fetched. */
  returnWork({ runId }: PageWork, pages: readonly PageOrder[]): void {
    for (const { captureId } of pages) if (!this.has(captureId)) this.#paused.noteReturned(runId, captureId);
    this.#reportPaused(runId);
  }

  /** Returns a page that was being fetched when its run was paused, and that needs another fetch. */
  returnPage(page: PageUnderWay): void {
    if (this.#pages.get(page.captureId) !== page) return;
    this.#return(page);
    const { runId, workspaceId, captureId } = page;
    const { pauses } = this.#paused.of(runId);
    this.#deps.report({ runId, workspaceId, captureIds: [], held: [], returned: [captureId], pauses });
  }

  /** Reports the pages of a run that are held here. */
  reportRun({ runId }: PagesRequested): void {
    this.report(this.#of(runId));
  }

  /** Reports pages that have been held here for this long, ms. */
  reportOld(heldMs: number): void {
    const pages = [...this.#pages.values()];
    this.#deps.held.keepOnly(new Set(pages.map(({ runId }) => runId)));
    this.report(pages.filter(({ sinceMs }) => performance.now() - sinceMs > heldMs));
  }

  report(pages: readonly PageUnderWay[]): void {
    for (const [runId, ofRun] of Map.groupBy(pages, (page) => page.runId)) {
      const held = this.#deps.held.of(runId, this.#deps.now());
      const workspaceId = ofRun[0]?.workspaceId ?? '';
      for (let from = 0; from < ofRun.length; from += PAGES_A_REPORT) {
        const captureIds = ofRun.slice(from, from + PAGES_A_REPORT).map(({ captureId }) => captureId);
        this.#deps.report({ runId, workspaceId, captureIds, held, returned: [] });
      }
    }
  }

  /** Aborts all pages. */
  abort(why: AppError): void {
    for (const { stopped } of this.#pages.values()) stopped.abort(why);
  }

  #of(runId: string): PageUnderWay[] {
    return [...this.#pages.values()].filter((page) => page.runId === runId);
  }

  #return(page: PageUnderWay): void {
    page.stopped.abort(new AppError('conflict', 'the run was paused'));
    this.#pages.delete(page.captureId);
    this.#paused.noteReturned(page.runId, page.captureId);
  }

  /** Reports the pages of a paused run that are held here, and those that were returned. */
  #reportPaused(runId: string): void {
    const { pauses, returned } = this.#paused.of(runId);
    const ofRun = this.#of(runId);
    if (ofRun.length + returned.length === 0) return;
    const workspaceId = ofRun[0]?.workspaceId ?? '';
    const captureIds = ofRun.map(({ captureId }) => captureId);
    const held = this.#deps.held.of(runId, this.#deps.now());
    this.#deps.report({ runId, workspaceId, captureIds, held, returned: [...returned], pauses });
  }
}
