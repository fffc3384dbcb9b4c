import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue, tracer } from '@tidemark/service';
import { BrowserExited, type BrowserProcess } from '../chromium/browser-process.ts';
import type { Tab, TabKey } from '../chromium/tab.ts';
import type { Failure } from '../page/failures.ts';
import { NetworkActivity } from '../page/network-activity.ts';
import type { RenderTask } from '../page/render-task.ts';
import { DeadlineExceeded, TimeBudget } from '../page/time-budget.ts';
import { printPage } from '../render/print-page.ts';
import { type RenderedPage, renderPage } from '../render/render-page.ts';
import type { BrowserSupervisor } from './browser-supervisor.ts';
import { observePool } from './pool-metrics.ts';
import { SessionLocks } from './session-locks.ts';
import { TabPool } from './tab-pool.ts';

/** Remaining time below which a page is not retried, ms. */
const MIN_RETRY_MS = 500;
/** A broken pipe is detected shortly before the exit of its process. */
const EXIT_GRACE_MS = 300;

/** Tabs in addition to those that render: being wiped, or prewarmed. */
const SPARE_TABS = 1;
/** Tabs in addition to the configured ones for workspaces that have none in use. */
const RESERVED_TABS = 1;

export interface PoolLimits {
  readonly tabs: number;
  readonly queue: number;
  readonly pagesPerContext: number;
  /** Idle sessions, and the idle time of each. */
  readonly sessions: number;
  readonly sessionMs: number;
}

/** A rendered page with its traffic. */
interface MeteredPage extends RenderedPage {
  readonly refusedRequests: number;
  readonly bytesReceived: number;
  readonly exitBytes: number;
}

/** A rendered page with its traffic and duration. */
export interface TimedPage extends MeteredPage {
  readonly queueMs: number;
  readonly renderMs: number;
}

/** Result of one attempt; `tabReleased` resolves when its tab no longer counts as in use. */
interface Attempt {
  readonly page: MeteredPage;
  readonly tabReleased: Promise<void>;
}

/** Renders pages with limited concurrency, each in a context without state of other requests. */
export class RenderPool {
  readonly #supervisor: BrowserSupervisor;
  readonly #queue: FairQueue;
  readonly #sessionLocks = new SessionLocks();
  readonly #tabs: TabPool;
  readonly #maxTabs: number;
  #rendered = 0;

  constructor(supervisor: BrowserSupervisor, limits: PoolLimits) {
    this.#supervisor = supervisor;
    this.#queue = new FairQueue({
      capacity: limits.tabs,
      reserved: RESERVED_TABS,
      maxWaiting: limits.queue,
      slots: 'browser tabs',
    });
    this.#maxTabs = limits.tabs + SPARE_TABS;
    this.#tabs = new TabPool(this.#maxTabs, limits);
    observePool(limits.tabs, () => this.status());
  }

  status() {
    return {
      browsers: this.#supervisor.count,
      busy: this.#queue.active,
      queued: this.#queue.waiting,
      rendered: this.#rendered,
      recycled: this.#supervisor.recycled,
      crashed: this.#supervisor.crashed,
    };
  }

  /** @throws AppError unavailable if the queue is full, no browser can be launched, or no tab is free in time */
  async render(task: RenderTask, timeoutMs: number, signal: AbortSignal): Promise<TimedPage> {
    const startedAtMs = performance.now();
    const budget = new TimeBudget(timeoutMs, signal);
    const release = await this.#waitForTurn(task, timeoutMs, signal);
    const enteredAtMs = performance.now();
    let tabReleased = Promise.resolve();
    try {
      const attempt = await this.#renderWithRetry(task, budget);
      tabReleased = attempt.tabReleased;
      this.#rendered += 1;
      return { ...attempt.page, queueMs: enteredAtMs - startedAtMs, renderMs: performance.now() - enteredAtMs };
    } finally {
      // The next page of the session needs this tab. Other pages wait for its wipe only if too many tabs are in use.
      void tabReleased.then(release.session);
      if (this.#tabs.inUse < this.#maxTabs) release.queue();
      else void tabReleased.then(release.queue);
    }
  }

  /** Prints HTML in a tab that is closed afterwards. @throws AppError unavailable if the queue is full, BrowserExited, DeadlineExceeded */
  async print(
    { html, workspaceId }: { readonly html: string; readonly workspaceId: string },
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const budget = new TimeBudget(timeoutMs, signal);
    const release = await this.#queue.acquire(workspaceId, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    try {
      const browser = await budget.within(this.#supervisor.current());
      browser.busy += 1;
      browser.pages += 1;
      try {
        const tab = await this.#openTab({ workspaceId, exit: '', session: '', origin: '' }, budget, browser);
        try {
          return await budget.within(browser.raceExit(printPage(tab, html)));
        } finally {
          await this.#tabs.close(tab);
        }
      } finally {
        await this.#release(browser);
      }
    } finally {
      release();
    }
  }

  /** Waits for the lock of the session, then for a slot. */
  async #waitForTurn({ workspaceId, session, exit }: RenderTask, timeoutMs: number, signal: AbortSignal) {
    const span = tracer.startSpan('browser queue');
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    let releaseSession = () => {};
    try {
      if (session !== '') {
        releaseSession = await this.#sessionLocks.acquire(JSON.stringify([workspaceId, session, exit?.name]), deadline);
      }
      return { session: releaseSession, queue: await this.#queue.acquire(workspaceId, deadline) };
    } catch (error) {
      releaseSession();
      throw error;
    } finally {
      span.end();
    }
  }

  /** Renders a page and retries once if the browser exits, since another page may have caused that. */
  async #renderWithRetry(task: RenderTask, budget: TimeBudget): Promise<Attempt> {
    for (let isLast = false; ; isLast = true) {
      try {
        return await this.#renderOnce(task, budget);
      } catch (error) {
        if (error instanceof DeadlineExceeded) return failedAttempt(task, 'timeout');
        if (!(error instanceof BrowserExited)) throw error;
        if (isLast || budget.remainingMs < MIN_RETRY_MS) return failedAttempt(task, 'crashed');
      }
    }
  }

  /** @throws BrowserExited if the browser exits, DeadlineExceeded if no tab is free in time */
  async #renderOnce(task: RenderTask, budget: TimeBudget): Promise<Attempt> {
    const browser = await budget.within(this.#supervisor.current());
    browser.busy += 1;
    browser.pages += 1;
    try {
      const tab = await this.#openTab(tabKeyOf(task), budget, browser);
      const activity = new NetworkActivity(tab);
      try {
        tab.egressProxy.beginRender(task.exit?.url ?? '');
        const rendered = await browser.raceExit(renderPage(tab, task, activity, budget));
        const { refusedRequests, bytesReceived, exitBytes } = tab.egressProxy.endRender();
        const isReadable = rendered.failure === undefined;
        if (isReadable) this.#supervisor.recordSuccess();
        const tabReleased = this.#tabs.release(tab, browser, activity, isReadable).then(() => this.#release(browser));
        return { page: { ...rendered, refusedRequests, bytesReceived, exitBytes }, tabReleased };
      } catch (error) {
        activity.stop();
        await this.#tabs.close(tab);
        throw error;
      }
    } catch (error) {
      await this.#release(browser);
      throw await toBrowserError(browser, error);
    }
  }

  async #openTab(key: TabKey, budget: TimeBudget, browser: BrowserProcess): Promise<Tab> {
    const opening = this.#tabs.acquire(key, browser);
    try {
      return await budget.within(browser.raceExit(opening));
    } catch (error) {
      opening.then((tab) => this.#tabs.close(tab)).catch(() => undefined);
      throw error;
    }
  }

  async #release(browser: BrowserProcess): Promise<void> {
    await this.#supervisor.release(browser);
    if (browser.isDraining || browser.hasExited) await this.#tabs.closeAllOf(browser);
    else if (this.#queue.waiting === 0) void this.#tabs.prewarm(browser);
  }
}

function tabKeyOf({ url, workspaceId, exit, session }: RenderTask): TabKey {
  return { workspaceId, exit: exit?.name ?? '', session, origin: session === '' ? url.origin : '' };
}

/** Returns BrowserExited for an error caused by the exit of the browser; other errors unchanged. */
async function toBrowserError(browser: BrowserProcess, error: unknown): Promise<unknown> {
  if (error instanceof BrowserExited || error instanceof DeadlineExceeded) return error;
  await Promise.race([browser.exited, sleep(EXIT_GRACE_MS)]);
  return browser.hasExited ? new BrowserExited('the browser exited during the render', { cause: error }) : error;
}

function failedAttempt(task: RenderTask, failure: Failure): Attempt {
  const page: MeteredPage = {
    httpStatus: 0,
    landedUrl: task.url.href,
    headers: [],
    html: '',
    screenshot: new Uint8Array(),
    redirects: [],
    failure,
    actions: [],
    warnings: [],
    refusedRequests: 0,
    bytesReceived: 0,
    exitBytes: 0,
  };
  return { page, tabReleased: Promise.resolve() };
}
