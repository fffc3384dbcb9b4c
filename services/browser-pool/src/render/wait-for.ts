import { setTimeout as sleep } from 'node:timers/promises';
import type { RenderContext } from '../page/render-context.ts';
import type { WaitFor } from '../page/render-task.ts';
import { visibleScript, waitForElement } from '../page/wait-for-element.ts';

/** Time without pending requests after which the network counts as idle, ms. */
const IDLE_MS = 500;
/** A request pending for longer is a long poll or a stream, which never end. */
const LONG_POLL_MS = 5_000;
const POLL_MS = 50;
/** Maximum wait for an element that appeared late to fill with content, ms. */
const STABLE_AGAIN_MS = 3_000;

/** Waits for the condition of the task. If it is not met in time, the page is read with a warning. */
export async function waitFor(context: RenderContext, condition: WaitFor): Promise<void> {
  if (condition.kind === 'ms') await forMs(context, condition.ms);
  else if (condition.kind === 'network_idle') await forNetworkIdle(context);
  else await forSelector(context, condition.selector);
}

async function forSelector(context: RenderContext, selector: string): Promise<void> {
  const startedAtMs = performance.now();
  const { state } = await waitForElement(context, visibleScript(selector), context.spareMs);
  const spentMs = Math.round(performance.now() - startedAtMs);
  if (state === 'invalid') context.warn(`wait_for: ${JSON.stringify(selector)} is not a CSS selector`);
  else if (state !== 'ready')
    context.warn(`wait_for: nothing visible matched ${JSON.stringify(selector)} in ${spentMs} ms`);
  else if (spentMs > IDLE_MS) await context.waitUntilStable(STABLE_AGAIN_MS);
}

async function forMs(context: RenderContext, ms: number): Promise<void> {
  const fittingMs = Math.min(ms, context.spareMs);
  if (fittingMs < ms)
    context.warn(`wait_for: only ${Math.round(fittingMs)} of ${ms} ms fit into the timeout of the page`);
  await sleep(fittingMs);
}

async function forNetworkIdle(context: RenderContext): Promise<void> {
  const startedAtMs = performance.now();
  while (context.activity.networkIdleForMs(LONG_POLL_MS) < IDLE_MS) {
    if (context.spareMs === 0) {
      context.warn(`wait_for: the network was not idle in ${Math.round(performance.now() - startedAtMs)} ms`);
      return;
    }
    await sleep(Math.min(POLL_MS, context.spareMs));
  }
}
