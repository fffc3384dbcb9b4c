import type { BrowserProcess } from '../chromium/browser-process.ts';
import type { Tab, TabKey } from '../chromium/tab.ts';
import type { Activity } from '../page/activity.ts';
import { wipe } from '../page/wipe.ts';
import { Shelf } from './shelf.ts';

const WIPE_DEADLINE_MS = 2_000;

/** Hands out tabs and takes them back: wiped and kept for the same workspace and origin, or closed. */
export class Tabs {
  readonly #shelf = new Shelf();
  readonly #kept: number;
  readonly #pagesPerContext: number;
  #isPreparing = false;

  constructor(kept: number, pagesPerContext: number) {
    this.#kept = kept;
    this.#pagesPerContext = pagesPerContext;
  }

  /** A tab in which nobody but this workspace, and nothing but this origin, has ever been. */
  async open(key: TabKey, browser: BrowserProcess): Promise<Tab> {
    const kept = this.#shelf.take(key, browser);
    if (kept === undefined) return browser.openTab(key);
    // The answer to a request that was cut off by the wipe may have come in behind it.
    if (kept.pages > 0) await kept.session.send('Network.clearBrowserCookies');
    return kept;
  }

  /** Takes a tab back after a page. Resolves when the next page may take its place; never rejects. */
  async take(tab: Tab, browser: BrowserProcess, activity: Activity, isReadable: boolean): Promise<void> {
    const isWorthKeeping = isReadable && !browser.isDraining && !browser.isGone && tab.pages < this.#pagesPerContext;
    const isKept = isWorthKeeping && (await wipedInTime(tab, activity));
    activity.stop();
    if (!isKept) return tab.close();
    this.#shelf.put(tab, browser);
  }

  /** Makes room for tabs in use, and while none waits, has one ready that nobody has used. */
  async tidy(browser: BrowserProcess, inUse: number): Promise<void> {
    while (this.#shelf.size > 0 && this.#shelf.size + inUse > this.#kept) await this.#shelf.takeOldest()?.close();
    if (this.#isPreparing || this.#shelf.hasUnused || browser.isDraining || browser.isGone) return;
    if (this.#shelf.size + inUse >= this.#kept) return;
    this.#isPreparing = true;
    try {
      this.#shelf.put(await browser.openTab(undefined), browser);
    } catch {
      // The browser is going; whoever needs a tab will hear of it.
    } finally {
      this.#isPreparing = false;
    }
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
