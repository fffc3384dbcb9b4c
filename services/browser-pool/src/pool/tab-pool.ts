import { within } from '@tidemark/deadline';
import type { BrowserProcess } from '../chromium/browser-process.ts';
import type { Tab, TabKey } from '../chromium/tab.ts';
import type { NetworkActivity } from '../page/network-activity.ts';
import { endPage, wipe } from '../page/wipe.ts';
import { IdleTabs } from './idle-tabs.ts';
import { SessionTabs } from './session-tabs.ts';

const RESET_DEADLINE_MS = 2_000;

export interface TabLimits {
  readonly pagesPerContext: number;
  readonly sessions: number;
  readonly sessionMs: number;
}

/** Tabs for renders. A released tab is wiped for its workspace and origin, parked for its session, or closed. */
export class TabPool {
  readonly #idle = new IdleTabs();
  readonly #sessions: SessionTabs;
  readonly #maxTabs: number;
  readonly #pagesPerContext: number;
  #inUse = 0;
  #isPrewarming = false;

  constructor(maxTabs: number, limits: TabLimits) {
    this.#maxTabs = maxTabs;
    this.#pagesPerContext = limits.pagesPerContext;
    this.#sessions = new SessionTabs(limits.sessions, limits.sessionMs);
  }

  /** Returns a tab that has only been used by this workspace, and by this session or origin. */
  async acquire(key: TabKey, browser: BrowserProcess): Promise<Tab> {
    const idleTab = this.#sessions.take(key, browser) ?? this.#idle.take(key, browser);
    if (idleTab === undefined) this.#evictOldest();
    this.#inUse += 1;
    try {
      const tab = idleTab ?? (await browser.openTab(key));
      // The response to a request aborted by the wipe may have arrived after it.
      if (tab.pages > 0 && key.session === '') await tab.session.send('Network.clearBrowserCookies');
      tab.pages += 1;
      return tab;
    } catch (error) {
      this.#inUse -= 1;
      throw error;
    }
  }

  /** Tabs in use, including those that are being wiped or closed. */
  get inUse(): number {
    return this.#inUse;
  }

  /** Releases a tab after a page. Resolves when it no longer counts as in use; never rejects. */
  async release(tab: Tab, browser: BrowserProcess, activity: NetworkActivity, isReadable: boolean): Promise<void> {
    const isUsable = !browser.isDraining && !browser.hasExited;
    const isReusable = isUsable && (await this.#tryReset(tab, activity, isReadable));
    activity.stop();
    if (!isReusable) return this.close(tab);
    this.#inUse -= 1;
    if (hasSession(tab)) this.#sessions.put(tab, browser);
    else this.#idle.put(tab, browser);
  }

  /** Resets a tab for reuse. @returns false if it must be closed. Only sessions outlive failed pages and the page limit. */
  async #tryReset(tab: Tab, activity: NetworkActivity, isReadable: boolean): Promise<boolean> {
    if (hasSession(tab)) return withinDeadline(endPage(tab));
    const origin = tab.key?.origin;
    if (!isReadable || origin === undefined || tab.pages >= this.#pagesPerContext) return false;
    return withinDeadline(wipe(tab, origin, activity));
  }

  /** Closes a tab that is in use. */
  async close(tab: Tab): Promise<void> {
    await tab.close();
    this.#inUse -= 1;
  }

  /** Opens a spare tab while no render waits: a new context may take longer than a page. */
  async prewarm(browser: BrowserProcess): Promise<void> {
    const isRoom = this.#total < this.#maxTabs;
    const isIdle = this.#inUse === 0 && this.#idle.size > 1;
    if (this.#isPrewarming || this.#idle.hasUnused || browser.isDraining || browser.hasExited) return;
    if (!isRoom && !isIdle) return;
    this.#evictOldest();
    this.#isPrewarming = true;
    try {
      this.#idle.put(await browser.openTab(undefined), browser);
    } catch {
      // The browser is exiting; the next render reports the failure.
    } finally {
      this.#isPrewarming = false;
    }
  }

  get #total(): number {
    return this.#idle.size + this.#inUse + (this.#isPrewarming ? 1 : 0);
  }

  /** Closes the longest idle tab if the pool is at its limit. */
  #evictOldest(): void {
    if (this.#total >= this.#maxTabs) void this.#idle.takeOldest()?.close();
  }

  /** Closes the idle tabs of a browser that accepts no more pages. */
  async closeAllOf(browser: BrowserProcess): Promise<void> {
    const all = [...this.#idle.takeAllOf(browser), ...this.#sessions.takeAllOf(browser)];
    await Promise.all(all.map((tab) => tab.close()));
  }
}

const hasSession = ({ key }: Tab): boolean => key !== undefined && key.session !== '';

/** Whether the reset succeeded within its deadline. */
const withinDeadline = (reset: Promise<boolean>): Promise<boolean> =>
  within(
    reset.catch(() => false),
    RESET_DEADLINE_MS,
    () => false,
  );
