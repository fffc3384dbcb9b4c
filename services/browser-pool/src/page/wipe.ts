import type { Tab } from '../chromium/tab.ts';
import type { NetworkActivity } from './network-activity.ts';

const BLANK = 'about:blank';

/**
 * Removes all state of a page from its context, so that the next page of the same workspace and origin starts empty.
 * @returns false if some state cannot be removed; the context must then be closed
 */
export async function wipe(tab: Tab, origin: string, activity: NetworkActivity): Promise<boolean> {
  const { session } = tab;
  // Prevents handlers of the page, unload included, from writing state after the wipe.
  await session.send('Emulation.setScriptExecutionDisabled', { value: true });
  if (!activity.isConfinedTo(origin)) return false;
  // Session storage is accessible only through a document of its origin.
  await session.send('DOMStorage.clear', { storageId: { securityOrigin: origin, isLocalStorage: false } });
  await openBlankPage(tab);
  await Promise.all([
    session.send('Network.clearBrowserCookies'),
    session.send('Network.clearBrowserCache'),
    session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' }),
    session.send('Page.resetNavigationHistory'),
    session.send('Emulation.setScriptExecutionDisabled', { value: false }),
    // window.name belongs to the tab and survives the document.
    session.send('Runtime.evaluate', { expression: "window.name = ''" }),
  ]);
  return true;
}

/**
 * Ends the page of a session and keeps cookies and storage for the next page. The cache is cleared, since a page must be
 * captured in its current state.
 */
export async function endPage(tab: Tab): Promise<boolean> {
  const { session } = tab;
  await session.send('Emulation.setScriptExecutionDisabled', { value: true });
  await openBlankPage(tab);
  await Promise.all([
    session.send('Network.clearBrowserCache'),
    session.send('Page.resetNavigationHistory'),
    session.send('Emulation.setScriptExecutionDisabled', { value: false }),
  ]);
  return true;
}

/** Navigates to a new document, which ends timers, workers and open requests of the previous one. */
async function openBlankPage({ session, documents }: Tab): Promise<void> {
  const { loaderId } = await session.send('Page.navigate', { url: BLANK });
  await documents.until((state) => state.loaderId === loaderId && state.isLoaded);
}
