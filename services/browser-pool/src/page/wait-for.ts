import { setTimeout as sleep } from 'node:timers/promises';
import { untilReady, visibleScript } from './elements.ts';
import type { WaitFor } from './order.ts';
import type { Visit } from './visit.ts';

/** How long nothing may be under way for the network to count as idle. */
const IDLE_MS = 500;
/** A request open longer than this is a long poll or a stream, which never end. */
const LONG_POLL_MS = 5_000;
const POLL_MS = 50;
/** What has appeared at last may still be filling up. */
const SETTLE_AGAIN_MS = 3_000;

/** Waits for what the page must have before it is read; a page that doesn't come to it is read with a warning. */
export async function waitFor(visit: Visit, wanted: WaitFor): Promise<void> {
  if (wanted.kind === 'ms') await forMs(visit, wanted.ms);
  else if (wanted.kind === 'network_idle') await forNetworkIdle(visit);
  else await forSelector(visit, wanted.selector);
}

async function forSelector(visit: Visit, selector: string): Promise<void> {
  const startedAtMs = performance.now();
  const { state } = await untilReady(visit, visibleScript(selector), visit.spareMs);
  const spentMs = Math.round(performance.now() - startedAtMs);
  if (state === 'invalid') visit.warn(`wait_for: ${JSON.stringify(selector)} is not a CSS selector`);
  else if (state !== 'ready')
    visit.warn(`wait_for: nothing visible matched ${JSON.stringify(selector)} in ${spentMs} ms`);
  else if (spentMs > IDLE_MS) await visit.settle(SETTLE_AGAIN_MS);
}

async function forMs(visit: Visit, ms: number): Promise<void> {
  const fittingMs = Math.min(ms, visit.spareMs);
  if (fittingMs < ms)
    visit.warn(`wait_for: only ${Math.round(fittingMs)} of ${ms} ms fitted into the time of the page`);
  await sleep(fittingMs);
}

async function forNetworkIdle(visit: Visit): Promise<void> {
  const startedAtMs = performance.now();
  while (visit.activity.networkIdleForMs(LONG_POLL_MS) < IDLE_MS) {
    if (visit.spareMs === 0) {
      visit.warn(`wait_for: the network was not idle in ${Math.round(performance.now() - startedAtMs)} ms`);
      return;
    }
    await sleep(Math.min(POLL_MS, visit.spareMs));
  }
}
