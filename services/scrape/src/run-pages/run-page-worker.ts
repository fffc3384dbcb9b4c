import { setTimeout as sleep } from 'node:timers/promises';
import { events } from '@tidemark/contracts';
import type { PagesCalledOff, PagesInProgress, PagesRequested, RunPaused } from '@tidemark/contracts/crawl/v1/control';
import type { PageOrder, PageWork } from '@tidemark/contracts/scrape/v1/work';
import { AppError } from '@tidemark/errors';
import { ATTEMPT_POLICIES, afterFailure } from '@tidemark/leased-work';
import { type Logger, type Outbox, outgoingEvent, PeriodicTask } from '@tidemark/service';
import type { Captured } from '../capture/capture-deps.ts';
import type { StoredBodies } from '../capture/store-bodies.ts';
import { unfetchedRow } from '../domain/page-row.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { ExtractPage } from '../extraction/extract-page.ts';
import { withoutResponse } from '../visit/host-report.ts';
import type { PageVisitor, Visit, Visited } from '../visit/page-visitor.ts';
import type { FindEnded } from './find-ended.ts';
import { HeldHosts } from './held-hosts.ts';
import { LoginWatch } from './login-watch.ts';
import { graphOf } from './page-graph.ts';
import { makeTaskOf } from './page-tasks.ts';
import { PagesUnderWay } from './pages-under-way.ts';
import { RunPageControl } from './run-page-control.ts';
import type { RunPageStore } from './run-page-store.ts';

export interface RunPageWorkerDeps {
  readonly visitor: Pick<PageVisitor, 'visit'>;
  readonly store: Pick<RunPageStore, 'end'>;
  readonly outbox: Pick<Outbox, 'send'>;
  readonly extractPage: ExtractPage;
  readonly keepBodies: (captured: Captured) => Promise<StoredBodies>;
  readonly findEnded: FindEnded;
  /** Reports pages of a run that are held here. May be lost. */
  readonly report: (pages: PagesInProgress) => void;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Time between two reports of a page that is held here, ms; a fraction of the time after which crawl offers it again. */
const REPORT_EVERY_MS = 30_000;
const CLOSE_MS = 4_000;
/** One page of a work message. */
interface PageJob {
  readonly task: PageTask;
  /** Releases the message's slot: its pages keep waiting while other messages are processed. */
  readonly setAside: () => void;
}

/**
 * Fetches pages of runs from the work queue. The only state stored here is the events of ended pages; the run's own rows are
 * the queue's source, so that work lost with a process is offered again.
 */
export class RunPageWorker {
  readonly #deps: RunPageWorkerDeps;
  readonly #held = new HeldHosts();
  readonly #underWay: PagesUnderWay;
  readonly #logins = new LoginWatch();
  readonly #reports: PeriodicTask;

  constructor(deps: RunPageWorkerDeps) {
    this.#deps = deps;
    this.#underWay = new PagesUnderWay({ held: this.#held, now: deps.now, report: deps.report });
    this.#reports = new PeriodicTask({
      everyMs: REPORT_EVERY_MS,
      run: async () => this.#underWay.reportOld(REPORT_EVERY_MS / 2),
      failed: 'pages in progress could not be reported',
      log: deps.log,
    });
  }

  /** Fetches the pages of a piece of work. Safe to repeat: a page that may have been offered before is not fetched if it has ended. */
  async run(work: PageWork, isRedelivered: boolean): Promise<void> {
    const taskOf = makeTaskOf(work);
    const pages = await this.#unended(work, isRedelivered);
    if (this.#underWay.isWithdrawn(work)) return this.#underWay.returnWork(work, pages);
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
  callOff(pages: PagesCalledOff): void {
    this.#underWay.callOff(pages);
  }

  /** Returns the pages of a paused run whose fetch has not begun. */
  pause(run: RunPaused): void {
    this.#underWay.pause(run);
  }

  /** Reports the pages of a run that are held here. */
  reportRun(run: PagesRequested): void {
    this.#underWay.reportRun(run);
  }

  async #page(work: PageWork, { captureId, credits, isHome }: PageOrder, { task, setAside }: PageJob): Promise<void> {
    if (this.#underWay.has(captureId)) return;
    const page = this.#underWay.begin(work, captureId);
    const { signal } = page.stopped;
    const control = new RunPageControl({
      work,
      page,
      underWay: this.#underWay,
      held: this.#held,
      setAside,
      now: this.#deps.now,
    });
    try {
      const visited = await this.#visit({
        kind: 'run',
        task,
        pace: { concurrency: work.concurrency, delayMs: work.delayMs },
        leaseCredits: async () => credits,
        signal,
        waitBudgetMs: Number.POSITIVE_INFINITY,
        held: 0,
        waitsForRobots: true,
        control,
      });
      if (visited.kind === 'captured') {
        if (task.options.extract !== undefined) control.onExtraction();
        const captured = await this.#deps.extractPage(task, visited.captured, signal);
        await this.#finish(task, captured, { isHome, isHostGivenUp: visited.isHostGivenUp });
      } else if (page.isWithdrawn) this.#underWay.returnPage(page);
    } catch (error) {
      if (page.isWithdrawn) this.#underWay.returnPage(page);
      // Cancelled: the run has recorded its own end of the page.
      else if (!signal.aborted) throw error;
    } finally {
      this.#underWay.end(page);
    }
  }

  /** Visits the page, again after internal failures. The run's rows are the queue, so that this process counts the attempts. */
  async #visit(visit: Visit): Promise<Visited> {
    const { task, signal } = visit;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await this.#deps.visitor.visit(visit);
      } catch (error) {
        if (signal.aborted || !visit.control.mayWait()) throw error;
        this.#deps.log.warn({ err: error, run: task.jobId, page: task.captureId, attempts }, 'page attempt failed');
        const after = afterFailure(ATTEMPT_POLICIES['scrape.run_pages'], attempts);
        if (after.next === 'give_up') {
          const why = error instanceof AppError ? error.message : 'internal error';
          const row = unfetchedRow(task, this.#deps.now(), withoutResponse(why));
          return { kind: 'captured', captured: { row, bodies: undefined }, isHostGivenUp: false };
        }
        await sleep(after.inSeconds * 1000, undefined, { signal });
      }
    }
  }

  /** Writes the events of the page. The run charges its pages, as it detects duplicates. */
  async #finish(
    { jobId: runId, workspaceId, captureId, options }: PageTask,
    captured: Captured,
    { isHome, isHostGivenUp }: { readonly isHome: boolean; readonly isHostGivenUp: boolean },
  ) {
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
        blockKeys: Buffer.from(graph.blockKeys ?? []),
        links: [...graph.links],
        unchanged: row.httpStatus === 304,
        redirects: row.redirects,
        missingValues: captured.missingValues ?? '',
        hostGivenUp: isHostGivenUp,
        loginDead: this.#logins.see({ runId, loginId: options.loginId, isHome, row }),
      }),
    ];
    await this.#deps.store.end(messages);
    this.#deps.outbox.send(messages);
  }

  async close(): Promise<void> {
    await Promise.all([this.#drained(), this.#reports.close()]);
    this.#underWay.abort(new AppError('unavailable', 'the process is ending'));
  }

  /** Waits a limited time for the pages in progress. */
  async #drained(): Promise<void> {
    const until = Date.now() + CLOSE_MS;
    while (this.#underWay.size > 0 && Date.now() < until) await sleep(50);
  }
}
