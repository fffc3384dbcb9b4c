import type { Tab } from '../chromium/tab.ts';
import type { Activity } from './activity.ts';

const BLANK = 'about:blank';

/**
 * Undoes all that a page left in its context, so that the next page of the same workspace and origin finds nothing.
 * @returns false where the page reached further than can be undone; the context must then go
 */
export async function wipe(tab: Tab, origin: string, activity: Activity): Promise<boolean> {
  const { session } = tab;
  // From here on no handler of the page runs, unload ones included, so that nothing is written behind the broom.
  await session.send('Emulation.setScriptExecutionDisabled', { value: true });
  if (!activity.staysWithin(origin)) return false;
  // The tab's session storage is reached only through a document of its origin.
  await session.send('DOMStorage.clear', { storageId: { securityOrigin: origin, isLocalStorage: false } });
  await leavePage(tab);
  await Promise.all([
    session.send('Network.clearBrowserCookies'),
    session.send('Network.clearBrowserCache'),
    session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' }),
    session.send('Page.resetNavigationHistory'),
    session.send('Emulation.setScriptExecutionDisabled', { value: false }),
    // The name belongs to the tab, not to the document, and survives it.
    session.send('Runtime.evaluate', { expression: "window.name = ''" }),
  ]);
  return true;
}

/**
 * Ends the page of a session and nothing else: cookies and storage are there for the next one. What the cache holds is
 * not, for a page is to be captured as it is now.
 */
export async function rest(tab: Tab): Promise<boolean> {
  const { session } = tab;
  await session.send('Emulation.setScriptExecutionDisabled', { value: true });
  await leavePage(tab);
  await Promise.all([
    session.send('Network.clearBrowserCache'),
    session.send('Page.resetNavigationHistory'),
    session.send('Emulation.setScriptExecutionDisabled', { value: false }),
  ]);
  return true;
}

/** A new document, not the old one emptied: it takes timers, workers and open requests with it. */
async function leavePage({ session, documents }: Tab): Promise<void> {
  const { loaderId } = await session.send('Page.navigate', { url: BLANK });
  await documents.until((state) => state.loaderId === loaderId && state.isLoaded);
}
