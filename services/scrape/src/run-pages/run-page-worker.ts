import { facts } from '@tidemark/contracts';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { PageOrder, PageWork } from '@tidemark/contracts/scrape/v1/work';
import { AppError } from '@tidemark/errors';
import { type Logger, type Outbox, outgoing } from '@tidemark/service';
import type { Captured } from '../capture-deps.ts';
import { HELD_MAX, holdSeconds } from '../domain/batch.ts';
import { type CaptureOptions, toCaptureOptions } from '../domain/capture-options.ts';
import { MAX_ATTEMPTS, retryInSeconds } from '../domain/job.ts';
import { unfetchedRow } from '../domain/page-row.ts';
import { type PageTask, readingKey } from '../domain/page-task.ts';
import type { Budget } from '../domain/ports.ts';
import type { KeptBodies } from '../finish-job.ts';
import { type Pace, type PaceKeeper, turnAt } from '../pace/host-pace.ts';
import { graphOf } from './page-graph.ts';
import type { RunPageStore } from './run-page-store.ts';

export interface RunPageWorkerDeps {
  readonly store: RunPageStore;
  readonly outbox: Outbox;
  readonly capture: (task: PageTask, creditsLeased: number, budget: Budget) => Promise<Captured>;
  readonly keepBodies: (captured: Captured) => Promise<KeptBodies>;
  readonly robots: { rulesOf(url: string): Promise<{ readonly crawlDelaySeconds: number | undefined }> };
  readonly pace: PaceKeeper;
  /** Which of these pages still wait to be fetched: the rest have ended, or were called off. */
  readonly stillOpen: (runId: string, workspaceId: string, captureIds: readonly string[]) => Promise<readonly string[]>;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Milliseconds one capture may take, all engines together. */
const CAPTURE_MS = 120_000;
const LOOK_EVERY_MS = 1_000;

interface UnderWay {
  readonly runId: string;
  readonly workspaceId: string;
  readonly stopped: AbortController;
  readonly sinceMs: number;
}

/**
 * Fetches pages of runs as they are offered. Nothing is kept of them here but what is told of their end; the run's own rows are
 * what they wait in, so that a piece of work lost with a process is offered again.
 */
export class RunPageWorker {
  readonly #deps: RunPageWorkerDeps;
  readonly #underWay = new Map<string, UnderWay>();
  readonly #timer: NodeJS.Timeout;

  constructor(deps: RunPageWorkerDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#stopCalledOff(), LOOK_EVERY_MS);
  }

  /** Safe to do twice: a page that has ended is not fetched again where the run can be asked, and is told once all the same. */
  async run(work: PageWork, isRedelivered: boolean): Promise<void> {
    const pages = isRedelivered ? await this.#open(work) : work.pages;
    await Promise.all(pages.map((page) => this.#page(work, page)));
  }

  async #open(work: PageWork): Promise<readonly PageOrder[]> {
    const ids = work.pages.map(({ captureId }) => captureId);
    const open = new Set(await this.#deps.stillOpen(work.runId, work.workspaceId, ids));
    return work.pages.filter(({ captureId }) => open.has(captureId));
  }

  async #page(work: PageWork, page: PageOrder): Promise<void> {
    if (this.#underWay.has(page.captureId)) return;
    const stopped = new AbortController();
    const { runId, workspaceId } = work;
    this.#underWay.set(page.captureId, { runId, workspaceId, stopped, sinceMs: performance.now() });
    const task = taskOf(work, page);
    try {
      const captured = await this.#captured(work, task, page.credits, stopped.signal);
      if (captured !== undefined) await this.#finish(task, captured);
    } catch (error) {
      // Called off: the run has made its own end of the page.
      if (!stopped.signal.aborted) throw error;
    } finally {
      this.#underWay.delete(page.captureId);
    }
  }

  /** The page, however often its host asked to wait and whatever of ours failed meanwhile. */
  async #captured(work: PageWork, task: PageTask, credits: number, signal: AbortSignal): Promise<Captured | undefined> {
    const pace = await this.#paceOf(work, task);
    let held = 0;
    for (let attempts = 1; ; ) {
      const turn = await turnAt(this.#deps.pace, work.host, pace, signal);
      if (turn === undefined) return undefined;
      try {
        const captured = await this.#capture(task, credits, signal).finally(() => turn.done());
        if (captured.askedToWait === undefined || held >= HELD_MAX) return captured;
        await this.#deps.pace.hold(work.host, holdSeconds(captured.askedToWait.seconds, held) * 1000);
        held += 1;
      } catch (error) {
        if (signal.aborted) throw error;
        const why = error instanceof AppError ? error.message : 'something went wrong on our side';
        this.#deps.log.warn(
          { err: error, run: task.jobId, page: task.captureId, attempts },
          'an attempt at a page failed',
        );
        if (attempts >= MAX_ATTEMPTS) return this.#givenUp(task, why);
        await new Promise((resolve) => setTimeout(resolve, retryInSeconds(attempts) * 1000));
        attempts += 1;
      }
    }
  }

  #capture(task: PageTask, credits: number, signal: AbortSignal): Promise<Captured> {
    const endsAtMs = Date.now() + CAPTURE_MS;
    return this.#deps.capture(task, credits, { remainingMs: () => Math.max(1, endsAtMs - Date.now()), signal });
  }

  #givenUp(task: PageTask, reason: string): Captured {
    const why = { verdict: 'blocked' as const, errorCode: 'NETWORK', reason, signals: ['given up'] };
    return { row: unfetchedRow(task, this.#deps.now(), why), bodies: undefined };
  }

  /** The slower of what the run asks for and what robots.txt does. */
  async #paceOf({ concurrency, delayMs }: PageWork, { options, url }: PageTask): Promise<Pace> {
    if (!options.respectRobots) return { concurrency, delayMs };
    const rules = await this.#deps.robots.rulesOf(url).catch(() => undefined);
    return { concurrency, delayMs: Math.max(delayMs, (rules?.crawlDelaySeconds ?? 0) * 1000) };
  }

  /** The run charges its pages itself: it knows which are pages of their own. */
  async #finish(task: PageTask, captured: Captured): Promise<void> {
    const { jobId: runId, workspaceId, captureId } = task;
    const row = { ...captured.row, ...(await this.#deps.keepBodies(captured)) };
    const graph = graphOf(captured.bodies);
    const messages = [
      outgoing(facts.pageCaptured, `page:${captureId}`, { workspaceId, jobId: runId, row }),
      outgoing(facts.runPageEnded, `run-page:${captureId}`, {
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
      }),
    ];
    await this.#deps.store.end(messages);
    this.#deps.outbox.send(messages);
  }

  /** Stops pages of runs that were cancelled: asked once a second for what has been under way for longer. */
  async #stopCalledOff(): Promise<void> {
    const old = [...this.#underWay].filter(([, { sinceMs }]) => performance.now() - sinceMs > LOOK_EVERY_MS);
    for (const [runId, pages] of Map.groupBy(old, ([, page]) => page.runId)) {
      const ids = pages.map(([captureId]) => captureId);
      const workspaceId = pages[0]?.[1].workspaceId ?? '';
      try {
        const open = new Set(await this.#deps.stillOpen(runId, workspaceId, ids));
        for (const [captureId, { stopped }] of pages) {
          if (!open.has(captureId)) stopped.abort(new AppError('conflict', 'the page was called off'));
        }
      } catch (error) {
        this.#deps.log.debug(
          { err: error, run: runId },
          'a run could not be asked which of its pages are still wanted',
        );
      }
    }
  }

  async close(): Promise<void> {
    const until = Date.now() + 4_000;
    while (this.#underWay.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    clearInterval(this.#timer);
    for (const { stopped } of this.#underWay.values())
      stopped.abort(new AppError('unavailable', 'the process is ending'));
  }
}

function taskOf({ runId, workspaceId, options }: PageWork, { captureId, url, earlier }: PageOrder): PageTask {
  if (options === undefined) throw new AppError('validation', 'a page needs its options');
  const asked = toCaptureOptions(options);
  // A crawl goes on by the links of its pages, whatever its reader asked to see.
  const formats = asked.formats.includes('links') ? asked.formats : [...asked.formats, 'links'];
  const whole = { ...asked, formats };
  return {
    jobId: runId,
    captureId,
    workspaceId,
    url,
    options: whole,
    session: runId,
    isPaced: true,
    lane: 'run',
    ...(earlier !== undefined && standsFor(earlier, whole) ? { earlier } : {}),
  };
}

/** Whether an earlier reading was made as this one is to be, and holds all that is asked for. */
const standsFor = (earlier: PageRow, options: CaptureOptions): boolean =>
  earlier.readingKey === readingKey(options) && options.formats.every((format) => earlier.formats.includes(format));
