import type { BrowserProcess } from '../chromium/browser-process.ts';
import type { Tab, TabKey } from '../chromium/tab.ts';
import { IdleTabs } from './idle-tabs.ts';

/** Idle tabs of sessions, limited in number (the least recently used is closed first) and in idle time. */
export class SessionTabs {
  readonly #idle = new IdleTabs();
  readonly #maxTabs: number;
  readonly #idleMs: number;
  readonly #timers = new WeakMap<Tab, NodeJS.Timeout>();

  constructor(maxTabs: number, idleMs: number) {
    this.#maxTabs = maxTabs;
    this.#idleMs = idleMs;
  }

  /** Takes the tab of the session, if it still exists. */
  take(key: TabKey, browser: BrowserProcess): Tab | undefined {
    if (key.session === '') return undefined;
    const tab = this.#idle.take(key, browser);
    if (tab !== undefined) clearTimeout(this.#timers.get(tab));
    return tab;
  }

  put(tab: Tab, browser: BrowserProcess): void {
    this.#idle.put(tab, browser);
    const expire = () => {
      if (this.#idle.remove(tab)) void tab.close();
    };
    this.#timers.set(tab, setTimeout(expire, this.#idleMs).unref());
    if (this.#idle.size > this.#maxTabs) void this.#idle.takeOldest()?.close();
  }

  takeAllOf(browser: BrowserProcess): Tab[] {
    return this.#idle.takeAllOf(browser);
  }
}
