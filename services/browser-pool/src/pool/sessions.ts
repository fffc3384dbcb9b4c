import type { BrowserProcess } from '../chromium/browser-process.ts';
import type { Tab, TabKey } from '../chromium/tab.ts';
import { IdleTabs } from './idle-tabs.ts';

/** The tabs of sessions between their pages: so many, the one used least recently going first, and each for so long. */
export class Sessions {
  readonly #idle = new IdleTabs();
  readonly #most: number;
  readonly #keptMs: number;
  readonly #timers = new WeakMap<Tab, NodeJS.Timeout>();

  constructor(most: number, keptMs: number) {
    this.#most = most;
    this.#keptMs = keptMs;
  }

  /** The tab of this very session, where it is still kept. */
  take(key: TabKey, browser: BrowserProcess): Tab | undefined {
    if (key.session === '') return undefined;
    const tab = this.#idle.take(key, browser);
    if (tab !== undefined) clearTimeout(this.#timers.get(tab));
    return tab;
  }

  put(tab: Tab, browser: BrowserProcess): void {
    this.#idle.put(tab, browser);
    const end = () => {
      if (this.#idle.remove(tab)) void tab.close();
    };
    this.#timers.set(tab, setTimeout(end, this.#keptMs).unref());
    if (this.#idle.size > this.#most) void this.#idle.takeOldest()?.close();
  }

  takeAllOf(browser: BrowserProcess): Tab[] {
    return this.#idle.takeAllOf(browser);
  }
}
