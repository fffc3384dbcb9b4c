import { facts } from '@tidemark/contracts';
import type { PageOrder, PageWork } from '@tidemark/contracts/scrape/v1/work';
import { AppError } from '@tidemark/errors';
import { type Outbox, outgoing, Rounds } from '@tidemark/service';
import type { Captured } from '../capture-deps.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { KeptBodies } from '../finish-job.ts';
import type { Wait } from '../pace/host-limiter.ts';
import { HeldHosts } from './held-hosts.ts';
import { LoginWatch } from './login-watch.ts';
import { graphOf } from './page-graph.ts';
import { PageVisitor, type PageVisitorDeps, type Visited } from './page-visitor.ts';
import { makeTaskOf } from './piece-tasks.ts';
import type { RunPageStore } from './run-page-store.ts';
import type { StillOpen } from './still-open.ts';

export interface RunPageWorkerDeps extends PageVisitorDeps {
  readonly store: Pick<RunPageStore, 'end'>;
  readonly outbox: Pick<Outbox, 'send'>;
  readonly keepBodies: (captured: Captured) => Promise<KeptBodies>;
  readonly stillOpen: StillOpen;
}

const LOOK_EVERY_MS = 1_000;
/** Waits shorter than this are not worth telling. */
const HELD_LEAST_MS = 500;
/** A piece of work that waits longer for its host is set aside, so that no host keeps the others waiting; so many pages at most. */
const SET_ASIDE_MS = 2_000;
const UNDER_WAY_MAX = 4_000;
const CLOSE_MS = 4_000;

/** What is to be done for one page of a piece of work. */
interface Errand {
  readonly task: PageTask;
  /** Lets go of the piece: its pages wait on, and others get its place. */
  readonly setAside: () => void;
}

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
  readonly #visitor: PageVisitor;
  readonly #held = new HeldHosts();
  readonly #underWay = new Map<string, UnderWay>();
  readonly #logins = new LoginWatch();
  readonly #rounds: Rounds;

  constructor(deps: RunPageWorkerDeps) {
    this.#deps = deps;
    this.#visitor = new PageVisitor(deps);
    this.#rounds = new Rounds({
      everyMs: LOOK_EVERY_MS,
      round: (goesOn) => this.#stopCalledOff(goesOn),
      failed: 'pages that are called off could not be looked for',
      log: deps.log,
    });
  }

  /** Safe to do twice: a page that has ended is not fetched again where the run can be asked, and is told once all the same. */
  async run(work: PageWork, isRedelivered: boolean): Promise<void> {
    const taskOf = makeTaskOf(work);
    const pages = isRedelivered ? await this.#open(work) : work.pages;
    const set = Promise.withResolvers<void>();
    const all = Promise.all(pages.map((page) => this.#page(work, page, { task: taskOf(page), setAside: set.resolve })));
    // What is set aside ends by itself; where it can't, the run offers its pages again.
    all.catch((error: unknown) => this.#deps.log.warn({ err: error, run: work.runId }, 'a page could not be ended'));
    await Promise.race([all, set.promise]);
  }

  async #open(work: PageWork): Promise<readonly PageOrder[]> {
    const ids = work.pages.map(({ captureId }) => captureId);
    const open = new Set(await this.#ask(work.runId, work.workspaceId, ids));
    return work.pages.filter(({ captureId }) => open.has(captureId));
  }

  async #page(work: PageWork, { captureId, credits, isHome }: PageOrder, { task, setAside }: Errand): Promise<void> {
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
      // Called off: the run has made its own end of the page.
      if (!stopped.signal.aborted) throw error;
    } finally {
      this.#underWay.delete(captureId);
    }
  }

  /** Told to the run at once where that is new; said again, once a second, with what is asked about its pages. */
  #noteWait(work: PageWork, captureId: string, { ms, why }: Wait): void {
    if (why === undefined || ms < HELD_LEAST_MS) return;
    const until = new Date(this.#deps.now().getTime() + ms);
    if (!this.#held.note(work.runId, work.host, { until, why })) return;
    const { runId, workspaceId } = work;
    void this.#ask(runId, workspaceId, [captureId]).catch((error: unknown) => {
      this.#deps.log.debug({ err: error, run: runId }, 'a run could not be told of a host that is held');
    });
  }

  #ask(runId: string, workspaceId: string, captureIds: readonly string[]): Promise<readonly string[]> {
    const held = this.#held.of(runId, this.#deps.now());
    return this.#deps.stillOpen({ runId, workspaceId, captureIds, held });
  }

  /** The run charges its pages itself: it knows which are pages of their own. */
  async #finish({ jobId: runId, workspaceId, captureId, options }: PageTask, captured: Visited, isHome: boolean) {
    const row = { ...captured.row, ...(await this.#deps.keepBodies(captured)) };
    const graph = captured.graph ?? graphOf(captured.bodies);
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
        hostGivenUp: captured.isHostGivenUp,
        loginDead: this.#logins.see({ runId, loginId: options.loginId, isHome, row }),
      }),
    ];
    await this.#deps.store.end(messages);
    this.#deps.outbox.send(messages);
  }

  /** Stops pages of runs that were cancelled: asked once a second for what has been under way for longer. */
  async #stopCalledOff(goesOn: () => boolean): Promise<void> {
    this.#held.keepOnly(new Set([...this.#underWay.values()].map(({ runId }) => runId)));
    const old = [...this.#underWay].filter(([, { sinceMs }]) => performance.now() - sinceMs > LOOK_EVERY_MS);
    for (const [runId, pages] of Map.groupBy(old, ([, page]) => page.runId)) {
      const ids = pages.map(([captureId]) => captureId);
      if (!goesOn()) return;
      const workspaceId = pages[0]?.[1].workspaceId ?? '';
      try {
        const open = new Set(await this.#ask(runId, workspaceId, ids));
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
    await Promise.all([this.#drained(), this.#rounds.close()]);
    for (const { stopped } of this.#underWay.values())
      stopped.abort(new AppError('unavailable', 'the process is ending'));
  }

  /** What is under way may end by itself, for a little while. */
  async #drained(): Promise<void> {
    const until = Date.now() + CLOSE_MS;
    while (this.#underWay.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
