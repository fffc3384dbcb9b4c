import type { BrowserProcess } from '../chromium/browser-process.ts';
import type { Tab, TabKey } from '../chromium/tab.ts';
import type { Activity } from '../page/activity.ts';
import { wipe } from '../page/wipe.ts';
import { Shelf } from './shelf.ts';

const WIPE_DEADLINE_MS = 2_000;

/** Hands out tabs and takes them back: wiped and kept for the same workspace and origin, or closed. */
export class Tabs {
  readonly #shelf = new Shelf();
  readonly #most: number;
  readonly #pagesPerContext: number;
  #out = 0;
  #isPreparing = false;

  constructor(most: number, pagesPerContext: number) {
    this.#most = most;
    this.#pagesPerContext = pagesPerContext;
  }

  /** A tab in which nobody but this workspace, and nothing but this origin, has ever been. */
  async open(key: TabKey, browser: BrowserProcess): Promise<Tab> {
    const kept = this.#shelf.take(key, browser);
    if (kept === undefined) this.#makeRoom();
    this.#out += 1;
    try {
      const tab = kept ?? (await browser.openTab(key));
      // The answer to a request that was cut off by the wipe may have come in behind it.
      if (tab.pages > 0) await tab.session.send('Network.clearBrowserCookies');
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
    const isWorthKeeping = isReadable && !browser.isDraining && !browser.isGone && tab.pages < this.#pagesPerContext;
    const isKept = isWorthKeeping && (await wipedInTime(tab, activity));
    activity.stop();
    if (!isKept) return this.drop(tab);
    this.#out -= 1;
    this.#shelf.put(tab, browser);
  }

  /** Closes a tab that was handed out. */
  async drop(tab: Tab): Promise<void> {
    await tab.close();
    this.#out -= 1;
  }

  /** While nobody waits, has a tab ready that nobody has used: a new context takes longer than many a page. */
  async prepare(browser: BrowserProcess): Promise<void> {
    const isRoom = this.#total < this.#most;
    const isIdle = this.#out === 0 && this.#shelf.size > 1;
    if (this.#isPreparing || this.#shelf.hasUnused || browser.isDraining || browser.isGone) return;
    if (!isRoom && !isIdle) return;
    this.#makeRoom();
    this.#isPreparing = true;
    try {
      this.#shelf.put(await browser.openTab(undefined), browser);
    } catch {
      // The browser is going; whoever needs a tab will hear of it.
    } finally {
      this.#isPreparing = false;
    }
  }

  get #total(): number {
    return this.#shelf.size + this.#out + (this.#isPreparing ? 1 : 0);
  }

  /** Gives up the tab that has lain longest where one more would be too many. */
  #makeRoom(): void {
    if (this.#total >= this.#most) void this.#shelf.takeOldest()?.close();
  }

  /** Drops the tabs of a browser that takes no more pages. */
  async forget(browser: BrowserProcess): Promise<void> {
    await Promise.all(this.#shelf.takeAllOf(browser).map((tab) => tab.close()));
  }
}

async function wipedInTime(tab: Tab, activity: Activity): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), WIPE_DEADLINE_MS);
  const origin = tab.key?.origin;
  const wiped = origin === undefined ? Promise.resolve(false) : wipe(tab, origin, activity).catch(() => false);
  const isWiped = await Promise.race([wiped, late.promise]);
  clearTimeout(timer);
  return isWiped;
}
