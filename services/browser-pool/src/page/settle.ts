import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Tab } from '../chromium/tab.ts';
import type { Activity } from './activity.ts';
import { type Budget, TimeIsUp } from './budget.ts';
import { ABORTED } from './failures.ts';
import { type Look, lookScript } from './scripts.ts';

/** How long document and network must be still: a page that came whole, one at work on itself, a shell without text yet. */
const FIRST_QUIET_MS = 30;
const QUIET_MS = 120;
const SHELL_QUIET_MS = 600;
/** One look lasts this long at most; a document may be restless forever. */
const LOOK_MAX_MS = 1_000;
/** A request open longer than this is a long poll, unless the page still waits for its first content. */
const LONG_POLL_MS = 3_000;
/** Scripts may start their work on `load`; a frame or an image that hangs holds that up for so long at most. */
const LOAD_MAX_MS = 2_500;
/** When a page is taken as it is. */
const RESTLESS_MAX_MS = 2_500;
const SETTLE_MAX_MS = 8_000;
/** A document that forwards within this time is a redirect; a later one is a page that reloads itself. */
const REFRESH_MAX_MS = 5_000;
/** Addresses one page may lead through: redirects by status, of which Chromium follows 20, by script and by refresh. */
const VISITS_MAX = 30;
/** Without any request under way for so long, a document that is not parsed never will be. */
const STALLED_MS = 500;
const POLL_MS = 50;

const LookShape = z.object({
  isScripted: z.boolean(),
  isShell: z.boolean(),
  isStill: z.boolean(),
  hasChanged: z.boolean(),
  refreshMs: z.number().optional(),
});

/** Thrown where a page sends the browser on and on. */
export class EndlessRedirects extends Error {
  override readonly name = 'EndlessRedirects';
}

/**
 * Waits until the page has become what a visitor would see: its document parsed, the requests that can change it
 * answered, its DOM still; redirects by script or meta refresh followed. A page without scripts waits for nothing.
 * Leaves the page as it is when `reserveMs` of the budget are left.
 * @returns false where the page was left as it was @throws TimeIsUp, EndlessRedirects
 */
export async function settle(tab: Tab, activity: Activity, budget: Budget, reserveMs: number): Promise<boolean> {
  const startedAtMs = performance.now();
  const refreshed = new Set<string>();
  let quietMs = FIRST_QUIET_MS;
  for (;;) {
    await budget.within(untilParsed(tab, activity));
    const { loaderId } = tab.documents.current;
    if (hasFailed(activity)) return true;
    const mostMs = Math.min(SETTLE_MAX_MS - (performance.now() - startedAtMs), budget.remainingMs - reserveMs);
    if (mostMs <= 0) return false;
    const look = await lookAt(tab, budget, quietMs, Math.min(mostMs, LOOK_MAX_MS));
    if (look === undefined || activity.isNavigating || tab.documents.current.loaderId !== loaderId) {
      await nextDocument(tab, activity, loaderId, { leastMs: POLL_MS, mostMs });
      quietMs = FIRST_QUIET_MS;
      continue;
    }
    if (look.refreshMs !== undefined && look.refreshMs <= REFRESH_MAX_MS && !refreshed.has(loaderId)) {
      refreshed.add(loaderId);
      await nextDocument(tab, activity, loaderId, { leastMs: Math.min(mostMs, look.refreshMs + 500), mostMs });
      continue;
    }
    const spentMs = performance.now() - startedAtMs;
    if (look.isScripted && spentMs < LOAD_MAX_MS && !tab.documents.current.isLoaded) {
      await untilLoaded(tab, activity, Math.min(mostMs, LOAD_MAX_MS - spentMs));
      continue;
    }
    if (isSettled(look, activity, quietMs, spentMs)) return true;
    quietMs = look.isShell ? SHELL_QUIET_MS : QUIET_MS;
  }
}

/** A navigation that came to nothing, with none after it; an aborted one (download, 204) leaves the document as it was. */
const hasFailed = ({ failed, isNavigating }: Activity): boolean =>
  failed !== undefined && failed.error !== ABORTED && !isNavigating;

/** Waits until the document is parsed, or has got all it will ever get: an aborted parser never says that it is done. */
async function untilParsed(tab: Tab, activity: Activity): Promise<void> {
  for (let idleMs = 0; idleMs < STALLED_MS && !hasFailed(activity); ) {
    if (activity.visited.length > VISITS_MAX) throw new EndlessRedirects();
    const parsed = tab.documents.until(({ isParsed }) => isParsed);
    const isParsed = await Promise.race([parsed.then(() => true), sleep(POLL_MS).then(() => false)]);
    if (isParsed && tab.documents.current.isParsed) return;
    idleMs = activity.isIdle ? idleMs + POLL_MS : 0;
  }
}

async function untilLoaded(tab: Tab, activity: Activity, mostMs: number): Promise<void> {
  const loaded = tab.documents.until(({ isLoaded }) => isLoaded);
  const endsAtMs = performance.now() + mostMs;
  while (!tab.documents.current.isLoaded && !activity.isNavigating && performance.now() < endsAtMs) {
    await Promise.race([loaded, sleep(POLL_MS)]);
  }
}

function isSettled(look: Look, activity: Activity, quietMs: number, spentMs: number): boolean {
  if (!look.isScripted) return true;
  const isQuiet = activity.quietForMs(look.isShell ? SETTLE_MAX_MS : LONG_POLL_MS) >= quietMs;
  if (look.isShell) return isQuiet && look.isStill && quietMs >= SHELL_QUIET_MS;
  if (quietMs < QUIET_MS && (look.hasChanged || activity.hasFetched)) return false;
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
