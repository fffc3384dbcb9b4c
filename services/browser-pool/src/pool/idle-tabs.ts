import type { BrowserProcess } from '../chromium/browser-process.ts';
import { isSameKey, type Tab, type TabKey } from '../chromium/tab.ts';

/** Idle tabs, each reserved for the key of its pages, and unused tabs. */
export class IdleTabs {
  readonly #tabs = new Map<Tab, BrowserProcess>();

  get size(): number {
    // Tabs of an exited browser emit no event.
    for (const [tab, browser] of this.#tabs) if (browser.hasExited) this.#tabs.delete(tab);
    return this.#tabs.size;
  }

  /** Takes a tab of this key, else an unused one. */
  take(key: TabKey, browser: BrowserProcess): Tab | undefined {
    const candidates = [...this.#tabs].filter(([, of]) => of === browser).map(([tab]) => tab);
    const match = candidates.find((tab) => tab.key !== undefined && isSameKey(tab.key, key));
    const taken = match ?? candidates.find((tab) => tab.key === undefined);
    if (taken === undefined) return undefined;
    this.#tabs.delete(taken);
    taken.key = key;
    return taken;
  }

  put(tab: Tab, browser: BrowserProcess): void {
    this.#tabs.set(tab, browser);
  }

  /** Removes a tab. @returns whether it was idle */
  remove(tab: Tab): boolean {
    return this.#tabs.delete(tab);
  }

  get hasUnused(): boolean {
    return [...this.#tabs.keys()].some((tab) => tab.key === undefined);
  }

  /** Takes the tab that has been idle longest. */
  takeOldest(): Tab | undefined {
    const [oldest] = this.#tabs.keys();
    if (oldest !== undefined) this.#tabs.delete(oldest);
    return oldest;
  }

  /** Takes every tab of a browser. */
  takeAllOf(browser: BrowserProcess): Tab[] {
    const all = [...this.#tabs].filter(([, of]) => of === browser).map(([tab]) => tab);
    for (const tab of all) this.#tabs.delete(tab);
    return all;
  }
}
