import { z } from 'zod';
import type { Visit } from '../visit.ts';

/** How often the end of a page that grows is gone after. */
const STEPS_MAX = 20;
const STEP_SETTLE_MS = 2_000;
const LOOK_MAX_MS = 2_000;

const Place = z.object({ top: z.number(), height: z.number(), seen: z.number() });

/** What scrolls: the document, or the box in the middle of the window where an app scrolls inside itself. */
const SCROLLER = `
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
  const place = () => ({ top: el.scrollTop, height: el.scrollHeight, seen: el.clientHeight });`;

const scrollScript = (top: string): string => `(() => {${SCROLLER}
  to(${top});
  return place();
})()`;

const TARGETS = {
  down: 'el.scrollTop + el.clientHeight',
  up: 'el.scrollTop - el.clientHeight',
  top: '0',
  bottom: 'el.scrollHeight',
} as const;

/** Scrolls the page. `afterwards` waits for what that sets off. @returns what is to be known of it */
export async function scrollPage(
  visit: Visit,
  to: keyof typeof TARGETS,
  afterwards: (mostMs: number) => Promise<void>,
): Promise<string> {
  const first = await scrollTo(visit, TARGETS[to]);
  if (to !== 'bottom' || first === undefined) return '';
  for (let step = 1, last = first; step < STEPS_MAX; step += 1) {
    if (visit.spareMs === 0) return 'the time was up before the end of the page was reached';
    await afterwards(STEP_SETTLE_MS);
    const place = await scrollTo(visit, TARGETS.bottom);
    if (place === undefined || place.height <= last.height) return '';
    last = place;
  }
  return `the page was still growing after ${STEPS_MAX} times`;
}

async function scrollTo(visit: Visit, top: string): Promise<z.infer<typeof Place> | undefined> {
  return Place.safeParse(await visit.ask(scrollScript(top), LOOK_MAX_MS)).data;
}
