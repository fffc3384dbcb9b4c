import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Tab } from '../chromium/tab.ts';
import { ABORTED } from './failures.ts';
import type { NetworkActivity } from './network-activity.ts';
import { observeScript, type PageState } from './page-scripts.ts';
import { DeadlineExceeded, type TimeBudget } from './time-budget.ts';

/** Quiet time of document and network, ms: for a complete page, for a page that changes itself, for a shell without text. */
const FIRST_QUIET_MS = 30;
const QUIET_MS = 120;
const SHELL_QUIET_MS = 600;
/** Maximum time of one observation, ms; a document may never stop changing. */
const OBSERVATION_MAX_MS = 1_000;
/** A request pending for longer is a long poll, unless the page has no content yet. */
const LONG_POLL_MS = 3_000;
/** Maximum wait for `load`, ms, on which scripts may depend and which a hanging frame or image delays. */
const LOAD_MAX_MS = 2_500;
/** Times after which a changing page is read as it is, ms. */
const CHANGING_MAX_MS = 2_500;
const STABLE_WAIT_MAX_MS = 8_000;
/** A meta refresh within this time is a redirect; a later one is a page that reloads itself. */
const REFRESH_MAX_MS = 5_000;
/** Maximum URLs of one page: redirects by status, of which Chromium follows 20, by script and by refresh. */
const MAX_VISITS = 30;
/** A document that is not parsed after this time without pending requests never will be. */
const STALLED_MS = 500;
const POLL_MS = 50;

const PageStateShape = z.object({
  isScripted: z.boolean(),
  isShell: z.boolean(),
  isStable: z.boolean(),
  hasChanged: z.boolean(),
  refreshMs: z.number().optional(),
});

/** The page redirects without end. */
export class EndlessRedirects extends Error {
  override readonly name = 'EndlessRedirects';
}

/**
 * Waits until the page shows what a visitor would see: its document is parsed, no pending request can change it, its DOM is
 * unchanged, and redirects by script or meta refresh are followed. A page without scripts causes no wait. Stops when
 * `reserveMs` of the budget remain.
 * @returns false if the page was still changing @throws DeadlineExceeded, EndlessRedirects
 */
export async function waitUntilStable(
  tab: Tab,
  activity: NetworkActivity,
  budget: TimeBudget,
  reserveMs: number,
): Promise<boolean> {
  const startedAtMs = performance.now();
  const refreshed = new Set<string>();
  let quietMs = FIRST_QUIET_MS;
  for (;;) {
    await budget.within(waitUntilParsed(tab, activity));
    const { loaderId } = tab.documents.current;
    if (hasNavigationFailed(activity)) return true;
    const maxMs = Math.min(STABLE_WAIT_MAX_MS - (performance.now() - startedAtMs), budget.remainingMs - reserveMs);
    if (maxMs <= 0) return false;
    const state = await observe(tab, activity, budget, { quietMs, maxMs: Math.min(maxMs, OBSERVATION_MAX_MS) });
    if (state === undefined) {
      await waitForNextDocument(tab, activity, loaderId, { minMs: POLL_MS, maxMs });
      quietMs = FIRST_QUIET_MS;
      continue;
    }
    const refreshMs = refreshWithin(state);
    if (refreshMs !== undefined && !refreshed.has(loaderId)) {
      refreshed.add(loaderId);
      await waitForNextDocument(tab, activity, loaderId, { minMs: Math.min(maxMs, refreshMs + 500), maxMs });
      continue;
    }
    const spentMs = performance.now() - startedAtMs;
    if (awaitsLoad(state, tab, spentMs)) {
      await waitUntilLoaded(tab, activity, Math.min(maxMs, LOAD_MAX_MS - spentMs));
      continue;
    }
    if (isPageStable(state, activity, quietMs, spentMs)) return true;
    quietMs = quietTimeOf(state);
  }
}

const quietTimeOf = ({ isShell }: PageState): number => (isShell ? SHELL_QUIET_MS : QUIET_MS);

const awaitsLoad = ({ isScripted }: PageState, { documents }: Tab, spentMs: number): boolean =>
  isScripted && spentMs < LOAD_MAX_MS && !documents.current.isLoaded;

/** Returns the milliseconds until a meta refresh that is worth a wait. */
const refreshWithin = ({ refreshMs }: PageState): number | undefined =>
  refreshMs !== undefined && refreshMs <= REFRESH_MAX_MS ? refreshMs : undefined;

/** Whether the last navigation failed. An aborted one (download, 204) leaves the document unchanged. */
const hasNavigationFailed = ({ failedNavigation, isNavigating }: NetworkActivity): boolean =>
  failedNavigation !== undefined && failedNavigation.error !== ABORTED && !isNavigating;

/** Waits until the document is parsed or stalled: an aborted parser reports no completion. */
async function waitUntilParsed(tab: Tab, activity: NetworkActivity): Promise<void> {
  for (let idleMs = 0; idleMs < STALLED_MS && !hasNavigationFailed(activity); ) {
    if (activity.visited.length > MAX_VISITS) throw new EndlessRedirects();
    const parsed = tab.documents.until(({ isParsed }) => isParsed);
    const isParsed = await Promise.race([parsed.then(() => true), sleep(POLL_MS).then(() => false)]);
    if (isParsed && tab.documents.current.isParsed) return;
    idleMs = activity.isIdle ? idleMs + POLL_MS : 0;
  }
}

async function waitUntilLoaded(tab: Tab, activity: NetworkActivity, maxMs: number): Promise<void> {
  const loaded = tab.documents.until(({ isLoaded }) => isLoaded);
  const endsAtMs = performance.now() + maxMs;
  while (!tab.documents.current.isLoaded && !activity.isNavigating && performance.now() < endsAtMs) {
    await Promise.race([loaded, sleep(POLL_MS)]);
  }
}

function isPageStable(state: PageState, activity: NetworkActivity, quietMs: number, spentMs: number): boolean {
  if (!state.isScripted) return true;
  const isQuiet = activity.quietForMs(state.isShell ? STABLE_WAIT_MAX_MS : LONG_POLL_MS) >= quietMs;
  if (state.isShell) return isQuiet && state.isStable && quietMs >= SHELL_QUIET_MS;
  if (quietMs < QUIET_MS && (state.hasChanged || activity.hasFetched)) return false;
  return isQuiet && (state.isStable || spentMs > CHANGING_MAX_MS);
}

/** Returns the state of the document once unchanged; undefined if it was or is being replaced. @throws DeadlineExceeded if it hangs */
async function observe(
  tab: Tab,
  activity: NetworkActivity,
  budget: TimeBudget,
  { quietMs, maxMs }: { readonly quietMs: number; readonly maxMs: number },
): Promise<PageState | undefined> {
  const { loaderId } = tab.documents.current;
  try {
    const { refreshMs, ...state } = PageStateShape.parse(
      await budget.within(tab.evaluate(observeScript(quietMs, maxMs))),
    );
    if (activity.isNavigating || tab.documents.current.loaderId !== loaderId) return undefined;
    return refreshMs === undefined ? state : { ...state, refreshMs };
  } catch (error) {
    if (error instanceof DeadlineExceeded) throw error;
    return undefined;
  }
}

/** Waits for the next document for `minMs`, and longer while the main frame navigates, up to `maxMs`. */
async function waitForNextDocument(
  tab: Tab,
  activity: NetworkActivity,
  loaderId: string,
  { minMs, maxMs }: { minMs: number; maxMs: number },
): Promise<void> {
  const startedAtMs = performance.now();
  const isNext = tab.documents.until((state) => state.loaderId !== loaderId);
  const shouldWait = () => {
    const spentMs = performance.now() - startedAtMs;
    // A navigation that ends without a document (204, download, refused) replaces none.
    return spentMs < maxMs && (spentMs < minMs || activity.isNavigating);
  };
  while (tab.documents.current.loaderId === loaderId && shouldWait()) await Promise.race([isNext, sleep(POLL_MS)]);
}
