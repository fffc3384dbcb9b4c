import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Tab } from '../chromium/tab.ts';
import type { Activity } from './activity.ts';
import { type Budget, TimeIsUp } from './budget.ts';
import { type Look, lookScript } from './scripts.ts';

/** How long document and network must be still: a page with text in it, and a shell that shows none yet. */
const QUIET_MS = 80;
const SHELL_QUIET_MS = 600;
/** One look lasts this long at most; a document may be restless forever. */
const LOOK_MAX_MS = 1_000;
/** A request open longer than this is a long poll, unless the page still waits for its first content. */
const LONG_POLL_MS = 3_000;
/** When a page is taken as it is. */
const RESTLESS_MAX_MS = 2_500;
const SETTLE_MAX_MS = 8_000;
/** A document that forwards within this time is a redirect; a later one is a page that reloads itself. */
const REFRESH_MAX_MS = 5_000;
const HOPS_MAX = 10;
const POLL_MS = 50;

const LookShape = z.object({
  isScripted: z.boolean(),
  isShell: z.boolean(),
  isStill: z.boolean(),
  refreshMs: z.number().optional(),
});

/**
 * Waits until the page has become what a visitor would see: its document parsed, the requests that can change it
 * answered, its DOM still; redirects by script or meta refresh followed. A page without scripts waits for nothing.
 * Leaves the page as it is when `reserveMs` of the budget are left. @throws TimeIsUp where no document came at all
 */
export async function settle(tab: Tab, activity: Activity, budget: Budget, reserveMs: number): Promise<void> {
  const startedAtMs = performance.now();
  const followed = new Set<string>();
  let quietMs = QUIET_MS;
  while (followed.size < HOPS_MAX) {
    const { loaderId } = await budget.within(tab.documents.until(({ isParsed }) => isParsed));
    if (activity.failed !== undefined && !activity.isNavigating) return;
    const mostMs = Math.min(SETTLE_MAX_MS - (performance.now() - startedAtMs), budget.remainingMs - reserveMs);
    if (mostMs <= 0) return;
    const look = await lookAt(tab, budget, quietMs, Math.min(mostMs, LOOK_MAX_MS));
    if (look === undefined || activity.isNavigating || tab.documents.current.loaderId !== loaderId) {
      await nextDocument(tab, activity, loaderId, { leastMs: POLL_MS, mostMs });
      if (tab.documents.current.loaderId !== loaderId) followed.add(loaderId);
      quietMs = QUIET_MS;
      continue;
    }
    if (look.refreshMs !== undefined && look.refreshMs <= REFRESH_MAX_MS && !followed.has(loaderId)) {
      followed.add(loaderId);
      await nextDocument(tab, activity, loaderId, { leastMs: Math.min(mostMs, look.refreshMs + 500), mostMs });
      continue;
    }
    if (isSettled(look, activity, quietMs, performance.now() - startedAtMs)) return;
    if (look.isShell) quietMs = SHELL_QUIET_MS;
  }
}

function isSettled(look: Look, activity: Activity, quietMs: number, spentMs: number): boolean {
  if (!look.isScripted) return true;
  const isQuiet = activity.quietForMs(look.isShell ? SETTLE_MAX_MS : LONG_POLL_MS) >= quietMs;
  if (look.isShell) return isQuiet && look.isStill && quietMs >= SHELL_QUIET_MS;
  return isQuiet && (look.isStill || spentMs > RESTLESS_MAX_MS);
}

/** What the document looks like once still; undefined where it was replaced meanwhile. @throws TimeIsUp where it hangs */
async function lookAt(tab: Tab, budget: Budget, quietMs: number, mostMs: number): Promise<Look | undefined> {
  try {
    const { refreshMs, ...look } = LookShape.parse(await budget.within(tab.evaluate(lookScript(quietMs, mostMs))));
    return refreshMs === undefined ? look : { ...look, refreshMs };
  } catch (error) {
    if (error instanceof TimeIsUp) throw error;
    return undefined;
  }
}

/** Waits for the document after this one: for `leastMs`, and then as long as one is on its way, `mostMs` in all. */
async function nextDocument(
  tab: Tab,
  activity: Activity,
  loaderId: string,
  { leastMs, mostMs }: { leastMs: number; mostMs: number },
): Promise<void> {
  const startedAtMs = performance.now();
  const isNext = tab.documents.until((state) => state.loaderId !== loaderId);
  const isWorthWaiting = () => {
    const spentMs = performance.now() - startedAtMs;
    // A navigation that ends without a document (204, download, refused) never replaces this one.
    return spentMs < mostMs && (spentMs < leastMs || activity.isNavigating);
  };
  while (tab.documents.current.loaderId === loaderId && isWorthWaiting()) await Promise.race([isNext, sleep(POLL_MS)]);
}
