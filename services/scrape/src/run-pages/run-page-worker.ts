import { events } from '@tidemark/contracts';
import type { PagesCalledOff, PagesInProgress, PagesRequested } from '@tidemark/contracts/crawl/v1/control';
import type { PageOrder, PageWork } from '@tidemark/contracts/scrape/v1/work';
import { AppError } from '@tidemark/errors';
import { type Outbox, outgoingEvent, PeriodicTask } from '@tidemark/service';
import type { Captured } from '../capture/capture-deps.ts';
import type { StoredBodies } from '../capture/store-bodies.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { Wait } from '../pace/host-limiter.ts';
import type { FindEnded } from './find-ended.ts';
import { HeldHosts } from './held-hosts.ts';
import { LoginWatch } from './login-watch.ts';
import { graphOf } from './page-graph.ts';
import { makeTaskOf } from './page-tasks.ts';
import { PageVisitor, type PageVisitorDeps, type Visited } from './page-visitor.ts';
import type { RunPageStore } from './run-page-store.ts';

export interface RunPageWorkerDeps extends PageVisitorDeps {
  readonly store: Pick<RunPageStore, 'end'>;
  readonly outbox: Pick<Outbox, 'send'>;
  readonly keepBodies: (captured: Captured) => Promise<StoredBodies>;
  readonly findEnded: FindEnded;
  /** Reports pages of a run that are held here. May be lost. */
  readonly report: (pages: PagesInProgress) => void;
}

/** Time between two reports of a page that is held here, ms; a fraction of the time after which crawl offers it again. */
const REPORT_EVERY_MS = 30_000;
const PAGES_A_REPORT = 1_000;
/** Shortest wait that is reported, ms. */
const HELD_LEAST_MS = 500;
/** A work message that waits longer for its host, ms, releases its slot, for at most `UNDER_WAY_MAX` pages. */
const SET_ASIDE_MS = 2_000;
const UNDER_WAY_MAX = 4_000;
const CLOSE_MS = 4_000;

/** One page of a work message. */
interface PageJob {
  readonly task: PageTask;
  /** Releases the message's slot: its pages keep waiting while other messages are processed. */
  readonly setAside: () => void;
}

interface UnderWay {
  readonly runId: string;
  readonly workspaceId: string;
  readonly stopped: AbortController;
  readonly sinceMs: number;
}

/**
 * Fetches pages of runs from the work queue. The only state stored here is the events of ended pages; the run's own rows are
 * the queue's source, so that work lost with a process is offered again.
 */
export class RunPageWorker {
  readonly #deps: RunPageWorkerDeps;
  readonly #visitor: PageVisitor;
  readonly #held = new HeldHosts();
  readonly #underWay = new Map<string, UnderWay>();
  readonly #logins = new LoginWatch();
  readonly #reports: PeriodicTask;

  constructor(deps: RunPageWorkerDeps) {
    this.#deps = deps;
    this.#visitor = new PageVisitor(deps);
    this.#reports = new PeriodicTask({
      everyMs: REPORT_EVERY_MS,
      run: async () => this.#reportOld(),
      failed: 'pages in progress could not be reported',
      log: deps.log,
    });
  }

  /** Fetches the pages of a piece of work. Safe to repeat: a page that may have been offered before is not fetched if it has ended. */
  async run(work: PageWork, isRedelivered: boolean): Promise<void> {
    const taskOf = makeTaskOf(work);
    const pages = await this.#unended(work, isRedelivered);
    const set = Promise.withResolvers<void>();
    const all = Promise.all(pages.map((page) => this.#page(work, page, { task: taskOf(page), setAside: set.resolve })));
    // Pages without a slot complete later; if one fails, the run offers it again.
    all.catch((error: unknown) =>
      this.#deps.log.warn({ err: error, run: work.runId }, 'run page failed, will be offered again'),
    );
    await Promise.race([all, set.promise]);
  }

  /** Returns the pages that have not ended. No query for first offers. */
  async #unended({ runId, workspaceId, pages }: PageWork, isRedelivered: boolean): Promise<readonly PageOrder[]> {
    const repeated = pages.filter(
      ({ captureId, isRepeated }) => (isRedelivered || isRepeated) && !this.#underWay.has(captureId),
    );
    if (repeated.length === 0) return pages;
    const captureIds = repeated.map(({ captureId }) => captureId);
    const ended = await this.#deps.findEnded({ runId, workspaceId, captureIds });
    return pages.filter(({ captureId }) => !ended.has(captureId));
  }

  /** Aborts pages of a run that were cancelled; no ids: all its pages. */
  callOff({ runId, captureIds }: PagesCalledOff): void {
    const named = new Set(captureIds);
    for (const [captureId, page] of this.#underWay) {
      if (page.runId !== runId || (named.size > 0 && !named.has(captureId))) continue;
      page.stopped.abort(new AppError('conflict', 'the page was called off'));
    }
  }

  /** Reports the pages of a run that are held here. */
  reportRun({ runId }: PagesRequested): void {
    this.#report([...this.#underWay].filter(([, page]) => page.runId === runId));
  }

  async #page(work: PageWork, { captureId, credits, isHome }: PageOrder, { task, setAside }: PageJob): Promise<void> {
    if (this.#underWay.has(captureId)) return;
    const stopped = new AbortController();
    const { runId, workspaceId } = work;
    this.#underWay.set(captureId, { runId, workspaceId, stopped, sinceMs: performance.now() });
    const onWait = (wait: Wait) => {
      this.#noteWait(work, captureId, wait);
      if (wait.ms >= SET_ASIDE_MS && this.#underWay.size < UNDER_WAY_MAX) setAside();
    };
    try {
      const visited = await this.#visitor.visit({ work, task, credits, signal: stopped.signal, onWait });
      if (visited !== undefined) await this.#finish(task, visited, isHome);
    } catch (error) {
      // Cancelled: the run has recorded its own end of the page.
      if (!stopped.signal.aborted) throw error;
    } finally {
      this.#underWay.delete(captureId);
    }
  }

  /** Reports a host that is held to the run, once for each hold; it is repeated with the pages that wait. */
  #noteWait(work: PageWork, captureId: string, { ms, why }: Wait): void {
    if (why === undefined || ms < HELD_LEAST_MS) return;
    const until = new Date(this.#deps.now().getTime() + ms);
    if (!this.#held.note(work.runId, work.host, { until, why })) return;
    const page = this.#underWay.get(captureId);
    if (page !== undefined) this.#report([[captureId, page]]);
  }

  #report(pages: readonly (readonly [string, UnderWay])[]): void {
    for (const [runId, ofRun] of Map.groupBy(pages, ([, page]) => page.runId)) {
      const held = this.#held.of(runId, this.#deps.now());
      const workspaceId = ofRun[0]?.[1].workspaceId ?? '';
      for (let from = 0; from < ofRun.length; from += PAGES_A_REPORT) {
        const captureIds = ofRun.slice(from, from + PAGES_A_REPORT).map(([captureId]) => captureId);
        this.#deps.report({ runId, workspaceId, captureIds, held });
      }
    }
  }

  /** Writes the events of the page. The run charges its pages, as it detects duplicates. */
  async #finish({ jobId: runId, workspaceId, captureId, options }: PageTask, captured: Visited, isHome: boolean) {
    const row = { ...captured.row, ...(await this.#deps.keepBodies(captured)) };
    const graph = captured.graph ?? graphOf(captured.bodies);
    const messages = [
      outgoingEvent(events.pageCaptured, `page:${captureId}`, { workspaceId, jobId: runId, row }),
      outgoingEvent(events.runPageEnded, `run-page:${captureId}`, {
        runId,
        workspaceId,
        captureId,
        url: row.url,
        verdict: row.verdict,
        errorCode: row.errorCode,
        httpStatus: row.httpStatus,
        credits: row.credits,
        canonical: graph.canonical,
        nofollow: graph.nofollow,
        noindex: graph.noindex,
        links: [...graph.links],
        unchanged: row.httpStatus === 304,
        redirects: row.redirects,
        hostGivenUp: captured.isHostGivenUp,
        loginDead: this.#logins.see({ runId, loginId: options.loginId, isHome, row }),
      }),
    ];
    await this.#deps.store.end(messages);
    this.#deps.outbox.send(messages);
  }

  /** Reports pages that have been held here for a while, so that they are not offered again. */
  #reportOld(): void {
    this.#held.keepOnly(new Set([...this.#underWay.values()].map(({ runId }) => runId)));
    this.#report([...this.#underWay].filter(([, { sinceMs }]) => performance.now() - sinceMs > REPORT_EVERY_MS / 2));
  }

  async close(): Promise<void> {
    await Promise.all([this.#drained(), this.#reports.close()]);
    for (const { stopped } of this.#underWay.values())
      stopped.abort(new AppError('unavailable', 'the process is ending'));
  }

  /** Waits a limited time for the pages in progress. */
  async #drained(): Promise<void> {
    const until = Date.now() + CLOSE_MS;
    while (this.#underWay.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
