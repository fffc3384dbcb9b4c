import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { RenderContext } from './render-context.ts';

const POLL_MS = 80;
/** Timeout of one lookup in a busy page. */
const LOOKUP_TIMEOUT_MS = 2_000;
const MAX_MATCHES = 2_000;

/** State of an element before an action on it. */
const ElementLookup = z.object({
  state: z.enum(['invalid', 'absent', 'hidden', 'disabled', 'covered', 'unsuitable', 'no_option', 'ready']),
  x: z.number().default(0),
  y: z.number().default(0),
});
export type ElementLookup = z.infer<typeof ElementLookup>;

/** Evaluated in the isolated world, so a page cannot redefine these functions. */
const FIND_SCRIPT = (selector: string): string => `
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
    const el = Array.prototype.slice.call(matches, 0, ${MAX_MATCHES}).find(isVisible);
    return el === undefined ? { state: 'hidden' } : { state: 'ready', el };
  };
  const found = find();
  if (found.state !== 'ready') return found;
  const { el } = found;`;

/** Checks whether a visible element matches. */
export const visibleScript = (selector: string): string => `(() => {${FIND_SCRIPT(selector)}
  return { state: 'ready' };
})()`;

/** Scrolls the first visible match into view. */
export const intoViewScript = (selector: string): string => `(() => {${FIND_SCRIPT(selector)}
  el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  return { state: 'ready' };
})()`;

/** Finds the point at which a click reaches the first visible match, if no other element covers it. */
export const pointScript = (selector: string): string => `(() => {${FIND_SCRIPT(selector)}
  if (el.matches(':disabled') || el.closest('[inert]') !== null) return { state: 'disabled' };
  const isInView = ({ top, left, bottom, right }) => top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
  if (!isInView(el.getBoundingClientRect())) el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const box = [...el.getClientRects()].find(({ width, height }) => width > 0 && height > 0) ?? el.getBoundingClientRect();
  const middle = (from, to, max) => (Math.max(0, from) + Math.min(max, to)) / 2;
  const x = middle(box.left, box.right, innerWidth);
  const y = middle(box.top, box.bottom, innerHeight);
  const hit = document.elementFromPoint(x, y);
  const isHit = hit !== null && (el.contains(hit) || hit.closest('label')?.control === el);
  return isHit ? { state: 'ready', x, y } : { state: 'covered' };
})()`;

/** Focuses the first visible match; before typing, moves the caret to the end of its content. */
export const focusScript = (selector: string, isForText: boolean): string => `(() => {${FIND_SCRIPT(selector)}
  if (el.matches(':disabled') || el.closest('[inert]') !== null) return { state: 'disabled' };
  const isField = el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement;
  if (${isForText} && (isField ? el.readOnly : !el.isContentEditable)) return { state: 'unsuitable' };
  const focused = () => el.getRootNode().activeElement;
  const hadFocus = focused() === el;
  el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  el.focus({ preventScroll: true });
  if (${isForText} || !hadFocus) {
    if (isField) {
      try {
        el.setSelectionRange(el.value.length, el.value.length);
      } catch {
        // Fields such as number or date have no caret.
      }
    } else if (el.isContentEditable) {
      getSelection().selectAllChildren(el);
      getSelection().collapseToEnd();
    }
  }
  return { state: focused() !== null && el.contains(focused()) ? 'ready' : 'unsuitable' };
})()`;

/** Chooses an option of the first visible match, by its value, and reports that as a person's choice would. */
export const selectScript = (selector: string, value: string): string => `(() => {${FIND_SCRIPT(selector)}
  if (!(el instanceof HTMLSelectElement)) return { state: 'unsuitable' };
  if (el.matches(':disabled') || el.closest('[inert]') !== null) return { state: 'disabled' };
  const option = [...el.options].find((each) => each.value === ${JSON.stringify(value)} && !each.disabled);
  if (option === undefined) return { state: 'no_option' };
  el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  el.focus({ preventScroll: true });
  const hasChanged = !option.selected;
  if (el.multiple) option.selected = true;
  else el.value = option.value;
  if (hasChanged) for (const type of ['input', 'change']) el.dispatchEvent(new Event(type, { bubbles: true }));
  return { state: 'ready' };
})()`;

/**
 * Polls until the element is ready, for at most `maxMs`. Returns immediately for an invalid selector.
 * @returns the last lookup
 */
export async function waitForElement(context: RenderContext, script: string, maxMs: number): Promise<ElementLookup> {
  const endsAtMs = performance.now() + Math.min(maxMs, context.spareMs);
  let last: ElementLookup = { state: 'absent', x: 0, y: 0 };
  for (;;) {
    const leftMs = endsAtMs - performance.now();
    const lookup = ElementLookup.safeParse(
      await context.tryEvaluate(script, Math.min(LOOKUP_TIMEOUT_MS, Math.max(POLL_MS, leftMs))),
    );
    if (lookup.success) last = lookup.data;
    if (last.state === 'ready' || last.state === 'invalid' || leftMs <= POLL_MS) return last;
    await sleep(Math.min(POLL_MS, leftMs));
  }
}
