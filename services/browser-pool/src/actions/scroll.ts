import { z } from 'zod';
import type { RenderContext } from '../page/render-context.ts';

/** Maximum scrolls to the end of a growing page. */
const MAX_STEPS = 20;
const STEP_WAIT_MS = 2_000;
const SCRIPT_TIMEOUT_MS = 2_000;

const ScrollPosition = z.object({ top: z.number(), height: z.number() });

/** Finds the scrolling element: the document, or the scroll container in the middle of the window. */
const SCROLL_FUNCTIONS = `
  const page = document.scrollingElement ?? document.documentElement;
  const scrolls = (el) => el.scrollHeight > el.clientHeight + 1 && /auto|scroll|overlay/.test(getComputedStyle(el).overflowY);
  const find = () => {
    if (page.scrollHeight > innerHeight + 1) return page;
    for (let el = document.elementFromPoint(innerWidth / 2, innerHeight / 2); el !== null; el = el.parentElement) {
      if (scrolls(el)) return el;
    }
    return page;
  };
  const el = find();
  const to = (top) => el.scrollTo({ top, behavior: 'instant' });
  const position = () => ({ top: el.scrollTop, height: el.scrollHeight });`;

const scrollScript = (top: string): string => `(() => {${SCROLL_FUNCTIONS}
  to(${top});
  return position();
})()`;

const TARGETS = {
  down: 'el.scrollTop + el.clientHeight',
  up: 'el.scrollTop - el.clientHeight',
  top: '0',
  bottom: 'el.scrollHeight',
} as const;

/** Scrolls the page. `afterwards` waits for the effects. @returns a remark, or an empty string */
export async function scrollPage(
  context: RenderContext,
  to: keyof typeof TARGETS,
  afterwards: (maxMs: number) => Promise<void>,
): Promise<string> {
  const first = await scrollTo(context, TARGETS[to]);
  if (to !== 'bottom' || first === undefined) return '';
  for (let step = 1, last = first; step < MAX_STEPS; step += 1) {
    if (context.spareMs === 0) return 'the timeout ended before the end of the page was reached';
    await afterwards(STEP_WAIT_MS);
    const position = await scrollTo(context, TARGETS.bottom);
    if (position === undefined || position.height <= last.height) return '';
    last = position;
  }
  return `the page was still growing after ${MAX_STEPS} times`;
}

async function scrollTo(context: RenderContext, top: string): Promise<z.infer<typeof ScrollPosition> | undefined> {
  return ScrollPosition.safeParse(await context.tryEvaluate(scrollScript(top), SCRIPT_TIMEOUT_MS)).data;
}
