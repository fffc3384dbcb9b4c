import { setTimeout as sleep } from 'node:timers/promises';
import { tracer } from '@tidemark/service';
import { BrowserGone, type BrowserProcess } from '../chromium/browser-process.ts';
import type { Tab, TabKey } from '../chromium/tab.ts';
import { Activity } from '../page/activity.ts';
import { Budget, TimeIsUp } from '../page/budget.ts';
import type { Failure } from '../page/failures.ts';
import type { Order } from '../page/order.ts';
import { type Rendering, renderPage } from '../page/render-page.ts';
import type { Browsers } from './browsers.ts';
import { SessionTurns } from './session-turns.ts';
import { Tabs } from './tabs.ts';
import { Turnstile } from './turnstile.ts';

/** Less than this isn't worth a second browser. */
const RETRY_MIN_MS = 500;
/** A broken pipe is noticed a moment before the end of the process behind it. */
const GONE_GRACE_MS = 300;

/** A tab beyond those that render: being wiped, or ready. */
const TABS_BEHIND = 1;

export interface PoolLimits {
  readonly tabs: number;
  readonly queue: number;
  readonly pagesPerContext: number;
  /** Sessions kept between their pages, and for how long. */
  readonly sessions: number;
  readonly sessionMs: number;
}

/** A rendering with what passed the network for it. */
interface Attempt extends Rendering {
  readonly refusedRequests: number;
  readonly bytesReceived: number;
  readonly exitBytes: number;
}

/** And with the milliseconds it took. */
export interface Delivery extends Attempt {
  readonly queueMs: number;
  readonly renderMs: number;
}

/** An attempt, and when its tab is out of the way. */
interface Tried {
  readonly attempt: Attempt;
  readonly tidied: Promise<void>;
}

/** Renders pages, so many at once, each in a context that holds nothing of another request. */
export class Pool {
  readonly #browsers: Browsers;
  readonly #turnstile: Turnstile;
  readonly #sessionTurns = new SessionTurns();
  readonly #tabs: Tabs;
  readonly #tabsMost: number;
  #rendered = 0;

  constructor(browsers: Browsers, limits: PoolLimits) {
    this.#browsers = browsers;
    this.#turnstile = new Turnstile(limits.tabs, limits.queue);
    this.#tabsMost = limits.tabs + TABS_BEHIND;
    this.#tabs = new Tabs(this.#tabsMost, limits);
  }

  status() {
    return {
      browsers: this.#browsers.count,
      busy: this.#turnstile.inside,
      queued: this.#turnstile.waiting,
      rendered: this.#rendered,
      recycled: this.#browsers.recycled,
      crashed: this.#browsers.crashed,
    };
  }

  /** @throws AppError unavailable where there is no room, no browser, or no tab in time */
  async render(order: Order, timeoutMs: number, signal: AbortSignal): Promise<Delivery> {
    const startedAtMs = performance.now();
    const budget = new Budget(timeoutMs, signal);
    const leave = await this.#enter(order, timeoutMs, signal);
    const enteredAtMs = performance.now();
    let tidied = Promise.resolve();
    try {
      const tried = await this.#tryTwice(order, budget);
      tidied = tried.tidied;
      this.#rendered += 1;
      return { ...tried.attempt, queueMs: enteredAtMs - startedAtMs, renderMs: performance.now() - enteredAtMs };
    } finally {
      // The next page of a session wants this tab; no other waits for it to be wiped or closed, unless too many are.
      void tidied.then(leave.session);
      if (this.#tabs.out < this.#tabsMost) leave.turnstile();
      else void tidied.then(leave.turnstile);
    }
  }

  /** Waits for the session's turn, then for a place. */
  async #enter({ workspaceId, session, exit }: Order, timeoutMs: number, signal: AbortSignal) {
    const span = tracer.startSpan('browser queue');
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    let leaveSession = () => {};
    try {
      if (session !== '') {
        leaveSession = await this.#sessionTurns.enter(JSON.stringify([workspaceId, session, exit?.name]), inTime);
      }
      return { session: leaveSession, turnstile: await this.#turnstile.enter(workspaceId, inTime) };
    } catch (error) {
      leaveSession();
      throw error;
    } finally {
      span.end();
    }
  }

  close(): Promise<void> {
    return this.#browsers.close();
  }

  /** A browser may die of another page, so a page gets a second chance; one that was alone with it may be the cause. */
  async #tryTwice(order: Order, budget: Budget): Promise<Tried> {
    for (let isLast = false; ; isLast = true) {
      try {
        return await this.#try(order, budget);
      } catch (error) {
        if (error instanceof TimeIsUp) return failed(order, 'timeout');
        if (!(error instanceof BrowserGone)) throw error;
        if (isLast || budget.remainingMs < RETRY_MIN_MS) return failed(order, 'crashed');
      }
    }
  }

  /** @throws BrowserGone where the browser died under the page, TimeIsUp where no tab was to be had in time */
  async #try(order: Order, budget: Budget): Promise<Tried> {
    const browser = await budget.within(this.#browsers.current());
    browser.busy += 1;
    browser.pages += 1;
    try {
      const tab = await this.#openTab(order, budget, browser);
      const activity = new Activity(tab);
      try {
        tab.egressProxy.begin(order.exit?.url ?? '');
        const rendering = await browser.whileHere(renderPage(tab, order, activity, budget));
        const { refusedRequests, bytesReceived, exitBytes } = tab.egressProxy.end();
        const isReadable = rendering.failure === undefined;
        if (isReadable) this.#browsers.praise();
        const tidied = this.#tabs.take(tab, browser, activity, isReadable).then(() => this.#leave(browser));
        return { attempt: { ...rendering, refusedRequests, bytesReceived, exitBytes }, tidied };
      } catch (error) {
        activity.stop();
        await this.#tabs.drop(tab);
        throw error;
      }
    } catch (error) {
      await this.#leave(browser);
      throw await diagnosed(browser, error);
    }
  }

  async #openTab(order: Order, budget: Budget, browser: BrowserProcess): Promise<Tab> {
    const opening = this.#tabs.open(keyOf(order), browser);
    try {
      return await budget.within(browser.whileHere(opening));
    } catch (error) {
      opening.then((tab) => this.#tabs.drop(tab)).catch(() => undefined);
      throw error;
    }
  }

  async #leave(browser: BrowserProcess): Promise<void> {
    await this.#browsers.leave(browser);
    if (browser.isDraining || browser.isGone) await this.#tabs.forget(browser);
    else if (this.#turnstile.waiting === 0) void this.#tabs.prepare(browser);
  }
}

function keyOf({ url, workspaceId, exit, session }: Order): TabKey {
  return { workspaceId, exit: exit?.name ?? '', session, origin: session === '' ? url.origin : '' };
}

/** What an error out of the browser means: that it is gone, or what it says. */
async function diagnosed(browser: BrowserProcess, error: unknown): Promise<unknown> {
  if (error instanceof BrowserGone || error instanceof TimeIsUp) return error;
  await Promise.race([browser.gone, sleep(GONE_GRACE_MS)]);
  return browser.isGone ? new BrowserGone('the browser ended under the page', { cause: error }) : error;
}

function failed(order: Order, failure: Failure): Tried {
  const attempt: Attempt = {
    httpStatus: 0,
    landedUrl: order.url.href,
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
  return { attempt, tidied: Promise.resolve() };
}
