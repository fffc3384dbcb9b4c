import type { BrowserProcess } from '../chromium/browser-process.ts';
import { isSameKey, type Tab, type TabKey } from '../chromium/tab.ts';

/** Tabs kept for the next page of the key they served, and new tabs that have served no page. */
export class IdleTabs {
  readonly #tabs = new Map<Tab, BrowserProcess>();

  get size(): number {
    // The tabs of a browser that is gone are gone, without an event of their own.
    for (const [tab, browser] of this.#tabs) if (browser.isGone) this.#tabs.delete(tab);
    return this.#tabs.size;
  }

  /** Takes a tab that may show a page of this key: one that served the key, else an unused one. */
  take(key: TabKey, browser: BrowserProcess): Tab | undefined {
    const mine = [...this.#tabs].filter(([, of]) => of === browser).map(([tab]) => tab);
    const own = mine.find((tab) => tab.key !== undefined && isSameKey(tab.key, key));
    const taken = own ?? mine.find((tab) => tab.key === undefined);
    if (taken === undefined) return undefined;
    this.#tabs.delete(taken);
    taken.key = key;
    return taken;
  }

  put(tab: Tab, browser: BrowserProcess): void {
    this.#tabs.set(tab, browser);
  }

  /** Takes a tab for good. @returns whether it was still there */
  remove(tab: Tab): boolean {
    return this.#tabs.delete(tab);
  }

  get hasUnused(): boolean {
    return [...this.#tabs.keys()].some((tab) => tab.key === undefined);
  }

  /** Takes the tab that has been idle longest, to make room for another. */
  takeOldest(): Tab | undefined {
    const [oldest] = this.#tabs.keys();
    if (oldest !== undefined) this.#tabs.delete(oldest);
    return oldest;
  }

  /** Takes every tab of a browser that is going or gone. */
  takeAllOf(browser: BrowserProcess): Tab[] {
    const all = [...this.#tabs].filter(([, of]) => of === browser).map(([tab]) => tab);
    for (const tab of all) this.#tabs.delete(tab);
    return all;
  }
}
