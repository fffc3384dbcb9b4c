import type { BrowserProcess } from '../chromium/browser-process.ts';
import type { Tab, TabKey } from '../chromium/tab.ts';
import type { BrowserSupervisor } from '../pool/browser-supervisor.ts';

/** A tab with the browser that it keeps open. */
export interface LiveTab {
  readonly tab: Tab;
  readonly browser: BrowserProcess;
  /** Closes the tab. Resolves after a bounded time. */
  close(): Promise<void>;
}

/** Opens a tab in a new context, with its egress proxy open to the exit, if there is one. @throws AppError unavailable, BrowserExited */
export async function openLiveTab(browsers: BrowserSupervisor, key: TabKey, exitUrl: string): Promise<LiveTab> {
  const browser = await browsers.current();
  browser.busy += 1;
  browser.pages += 1;
  try {
    const tab = await browser.raceExit(browser.openTab(key));
    tab.egressProxy.beginRender(exitUrl);
    let closing: Promise<void> | undefined;
    const close = async () => {
      await tab.close();
      await browsers.release(browser);
    };
    return {
      tab,
      browser,
      close: () => {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await browsers.release(browser);
    throw error;
  }
}
