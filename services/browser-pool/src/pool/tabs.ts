import type { BrowserProcess } from '../chromium/browser-process.ts';
import type { Tab, TabKey } from '../chromium/tab.ts';
import type { Activity } from '../page/activity.ts';
import { rest, wipe } from '../page/wipe.ts';
import { IdleTabs } from './idle-tabs.ts';
import { Sessions } from './sessions.ts';

const WIPE_DEADLINE_MS = 2_000;

export interface TabLimits {
  readonly pagesPerContext: number;
  readonly sessions: number;
  readonly sessionMs: number;
}

/** Hands out tabs and takes them back: wiped and kept for the same workspace and origin, put to rest for their session, or closed. */
export class Tabs {
  readonly #idle = new IdleTabs();
  readonly #sessions: Sessions;
  readonly #most: number;
  readonly #pagesPerContext: number;
  #out = 0;
  #isPreparing = false;

  constructor(most: number, limits: TabLimits) {
    this.#most = most;
    this.#pagesPerContext = limits.pagesPerContext;
    this.#sessions = new Sessions(limits.sessions, limits.sessionMs);
  }

  /** A tab in which nobody but this workspace, and nothing but this session or origin, has ever been. */
  async open(key: TabKey, browser: BrowserProcess): Promise<Tab> {
    const kept = this.#sessions.take(key, browser) ?? this.#idle.take(key, browser);
    if (kept === undefined) this.#makeRoom();
    this.#out += 1;
    try {
      const tab = kept ?? (await browser.openTab(key));
      // The answer to a request that was cut off by the wipe may have come in behind it.
      if (tab.pages > 0 && key.session === '') await tab.session.send('Network.clearBrowserCookies');
      tab.pages += 1;
      return tab;
    } catch (error) {
      this.#out -= 1;
      throw error;
    }
  }

  /** Tabs handed out and not yet back, those being wiped or closed included. */
  get out(): number {
    return this.#out;
  }

  /** Takes a tab back after a page. Resolves when the next page may take its place; never rejects. */
  async take(tab: Tab, browser: BrowserProcess, activity: Activity, isReadable: boolean): Promise<void> {
    const isUsable = !browser.isDraining && !browser.isGone;
    const isKept = isUsable && (await this.#isTidied(tab, activity, isReadable));
    activity.stop();
    if (!isKept) return this.drop(tab);
    this.#out -= 1;
    if (isOfSession(tab)) this.#sessions.put(tab, browser);
    else this.#idle.put(tab, browser);
  }

  /** A session outlives a page that failed, and any number of pages; a wiped context goes with either. */
  async #isTidied(tab: Tab, activity: Activity, isReadable: boolean): Promise<boolean> {
    if (isOfSession(tab)) return inTime(rest(tab));
    const origin = tab.key?.origin;
    if (!isReadable || origin === undefined || tab.pages >= this.#pagesPerContext) return false;
    return inTime(wipe(tab, origin, activity));
  }

  /** Closes a tab that was handed out. */
  async drop(tab: Tab): Promise<void> {
    await tab.close();
    this.#out -= 1;
  }

  /** While nobody waits, has a tab ready that nobody has used: a new context takes longer than many a page. */
  async prepare(browser: BrowserProcess): Promise<void> {
    const isRoom = this.#total < this.#most;
    const isIdle = this.#out === 0 && this.#idle.size > 1;
    if (this.#isPreparing || this.#idle.hasUnused || browser.isDraining || browser.isGone) return;
    if (!isRoom && !isIdle) return;
    this.#makeRoom();
    this.#isPreparing = true;
    try {
      this.#idle.put(await browser.openTab(undefined), browser);
    } catch {
      // The browser is going; whoever needs a tab will hear of it.
    } finally {
      this.#isPreparing = false;
    }
  }

  get #total(): number {
    return this.#idle.size + this.#out + (this.#isPreparing ? 1 : 0);
  }

  /** Closes the tab that has been idle longest where one more would be too many. */
  #makeRoom(): void {
    if (this.#total >= this.#most) void this.#idle.takeOldest()?.close();
  }

  /** Drops the tabs of a browser that takes no more pages. */
  async forget(browser: BrowserProcess): Promise<void> {
    const all = [...this.#idle.takeAllOf(browser), ...this.#sessions.takeAllOf(browser)];
    await Promise.all(all.map((tab) => tab.close()));
  }
}

const isOfSession = ({ key }: Tab): boolean => key !== undefined && key.session !== '';

/** Whether it came true, and in time. */
async function inTime(tidied: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), WIPE_DEADLINE_MS);
  const isTidied = await Promise.race([tidied.catch(() => false), late.promise]);
  clearTimeout(timer);
  return isTidied;
}
