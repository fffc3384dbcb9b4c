import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Visit } from './visit.ts';

const POLL_MS = 80;
/** One look takes this long at most where the page is busy. */
const LOOK_MAX_MS = 2_000;
const MATCHES_MAX = 2_000;

/** What is to be known of an element before something is done to it. */
const Found = z.object({
  state: z.enum(['invalid', 'absent', 'hidden', 'disabled', 'covered', 'unsuitable', 'ready']),
  x: z.number().default(0),
  y: z.number().default(0),
});
export type Found = z.infer<typeof Found>;

/** In our own world, where no page can redefine what these call. */
const FIND = (selector: string): string => `
  const isVisible = (el) => {
    const { width, height } = el.getBoundingClientRect();
    return width > 0 && height > 0 && el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  };
  const find = () => {
    let matches;
    try {
      matches = document.querySelectorAll(${JSON.stringify(selector)});
    } catch {
      return { state: 'invalid' };
    }
    if (matches.length === 0) return { state: 'absent' };
    const el = Array.prototype.slice.call(matches, 0, ${MATCHES_MAX}).find(isVisible);
    return el === undefined ? { state: 'hidden' } : { state: 'ready', el };
  };
  const found = find();
  if (found.state !== 'ready') return found;
  const { el } = found;`;

/** Whether something visible matches. */
export const visibleScript = (selector: string): string => `(() => {${FIND(selector)}
  return { state: 'ready' };
})()`;

/** Brings the first visible match into view. */
export const intoViewScript = (selector: string): string => `(() => {${FIND(selector)}
  el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  return { state: 'ready' };
})()`;

/** The point at which a press of the mouse reaches the first visible match, where nothing else lies on top. */
export const pointScript = (selector: string): string => `(() => {${FIND(selector)}
  if (el.matches(':disabled') || el.closest('[inert]') !== null) return { state: 'disabled' };
  const isInView = ({ top, left, bottom, right }) => top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
  if (!isInView(el.getBoundingClientRect())) el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const box = [...el.getClientRects()].find(({ width, height }) => width > 0 && height > 0) ?? el.getBoundingClientRect();
  const middle = (from, to, most) => (Math.max(0, from) + Math.min(most, to)) / 2;
  const x = middle(box.left, box.right, innerWidth);
  const y = middle(box.top, box.bottom, innerHeight);
  const hit = document.elementFromPoint(x, y);
  const isHit = hit !== null && (el.contains(hit) || hit.closest('label')?.control === el);
  return isHit ? { state: 'ready', x, y } : { state: 'covered' };
})()`;

/** Puts the focus on the first visible match; the caret goes to the end of what is there, where text is to follow it. */
export const focusScript = (selector: string, isForText: boolean): string => `(() => {${FIND(selector)}
  if (el.matches(':disabled') || el.closest('[inert]') !== null) return { state: 'disabled' };
  const isField = el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement;
  if (${isForText} && (isField ? el.readOnly : !el.isContentEditable)) return { state: 'unsuitable' };
  const holder = () => el.getRootNode().activeElement;
  const hadFocus = holder() === el;
  el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  el.focus({ preventScroll: true });
  if (${isForText} || !hadFocus) {
    if (isField) {
      try {
        el.setSelectionRange(el.value.length, el.value.length);
      } catch {
        // A field without a caret to set, such as a number or a date.
      }
    } else if (el.isContentEditable) {
      getSelection().selectAllChildren(el);
      getSelection().collapseToEnd();
    }
  }
  return { state: holder() !== null && el.contains(holder()) ? 'ready' : 'unsuitable' };
})()`;

/**
 * Asks until the element is ready for what is to be done, so long at most. What never will be is answered at once.
 * @returns the last answer
 */
export async function untilReady(visit: Visit, script: string, mostMs: number): Promise<Found> {
  const endsAtMs = performance.now() + Math.min(mostMs, visit.spareMs);
  let last: Found = { state: 'absent', x: 0, y: 0 };
  for (;;) {
    const leftMs = endsAtMs - performance.now();
    const answer = Found.safeParse(await visit.ask(script, Math.min(LOOK_MAX_MS, Math.max(POLL_MS, leftMs))));
    if (answer.success) last = answer.data;
    if (last.state === 'ready' || last.state === 'invalid' || leftMs <= POLL_MS) return last;
    await sleep(Math.min(POLL_MS, leftMs));
  }
}
