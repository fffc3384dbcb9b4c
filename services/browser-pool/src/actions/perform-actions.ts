import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer-core';
import type { RenderContext } from '../page/render-context.ts';
import type { Action } from '../page/render-task.ts';
import {
  type ElementLookup,
  focusScript,
  intoViewScript,
  pointScript,
  selectScript,
  visibleScript,
  waitForElement,
} from '../page/wait-for-element.ts';
import { parseKeystroke, press } from './keyboard.ts';
import { clickAt } from './pointer.ts';
import { scrollPage } from './scroll.ts';

/** Maximum wait for an element to appear, ms. */
const ELEMENT_TIMEOUT_MS = 5_000;
/** Time within which effects of an action start, ms: a timer, an animation frame, a navigation. */
const REACTION_MS = 100;
/** Interval of two position checks of a moving element, ms: some frames. */
const POSITION_CHECK_MS = 50;
/** Characters typed key by key; the rest is inserted as by paste. */
const MAX_KEYS = 1_000;
export const TYPING_TIMEOUT_MS = 10_000;

/** Result of one action. */
export interface StepResult {
  readonly ok: boolean;
  readonly note: string;
}

const DONE: StepResult = { ok: true, note: '' };

/** Performs the actions in order and waits for a stable page after each. Stops at the first failure. */
export async function performActions(context: RenderContext, actions: readonly Action[]): Promise<void> {
  for (const [index, action] of actions.entries()) {
    const startedAtMs = performance.now();
    const { ok, note } = context.spareMs === 0 ? failed('no time was left') : await performAction(context, action);
    const { kind, selector } = action;
    context.actionResults.push({ kind, selector, ok, ms: performance.now() - startedAtMs, note });
    if (!ok) {
      const rest = actions.length - index - 1;
      context.warn(`actions: ${kind} failed, ${note}${rest === 0 ? '' : `; the ${rest} after it were not tried`}`);
      return;
    }
    await waitForReaction(context);
  }
}

/** Performs one action. Does not wait for its effects. */
export async function performAction(context: RenderContext, action: Action): Promise<StepResult> {
  context.activity.resetPolling();
  switch (action.kind) {
    case 'click':
      return click(context, action.selector);
    case 'type':
      return type(context, action.selector, action.text);
    case 'press':
      return pressKey(context, action.selector, action.key);
    case 'scroll': {
      if (action.selector !== '')
        return resultOf(action.selector, await findReady(context, intoViewScript(action.selector)));
      return { ok: true, note: await scrollPage(context, action.to, (maxMs) => waitForReaction(context, maxMs)) };
    }
    case 'wait':
      return wait(context, action.selector, action.ms);
    case 'select':
      return resultOf(action.selector, await findReady(context, selectScript(action.selector, action.value)));
  }
}

/** Waits for the effects of an action and a stable page. */
export async function waitForReaction(context: RenderContext, maxMs?: number): Promise<void> {
  await sleep(Math.min(REACTION_MS, context.spareMs));
  await context.waitUntilStable(maxMs);
}

async function click(context: RenderContext, selector: string): Promise<StepResult> {
  const endsAtMs = performance.now() + ELEMENT_TIMEOUT_MS;
  let before: ElementLookup | undefined;
  // Requires the same position twice: a click would miss a moving element.
  while (performance.now() < endsAtMs && context.spareMs > 0) {
    const found = await waitForElement(context, pointScript(selector), endsAtMs - performance.now());
    if (found.state !== 'ready') return resultOf(selector, found);
    if (before?.x === found.x && before.y === found.y) {
      await clickAt(context, found.x, found.y);
      return DONE;
    }
    before = found;
    await sleep(POSITION_CHECK_MS);
  }
  return failed('the element kept moving');
}

async function type(context: RenderContext, selector: string, text: string): Promise<StepResult> {
  const found = await findReady(context, focusScript(selector, true));
  if (found.state !== 'ready') return resultOf(selector, found);
  const endsAtMs = performance.now() + Math.min(TYPING_TIMEOUT_MS, context.spareMs);
  const isTimeUp = () => performance.now() >= endsAtMs;
  await context.waitUpTo(typeText(context.tab.session, text, isTimeUp), TYPING_TIMEOUT_MS);
  return isTimeUp() ? failed('the page accepted the text too slowly') : DONE;
}

/** Types into the focused element, key by key, until the time is up. */
export async function typeText(session: CDPSession, text: string, isTimeUp: () => boolean): Promise<void> {
  const characters = [...text.replaceAll('\r\n', '\n')];
  for (const character of characters.slice(0, MAX_KEYS)) {
    const keystroke = parseKeystroke(character === '\n' ? 'Enter' : character);
    if (isTimeUp()) return;
    if (keystroke !== undefined) await press(session, keystroke);
  }
  const rest = characters.slice(MAX_KEYS).join('');
  if (rest !== '') await session.send('Input.insertText', { text: rest });
}

async function pressKey(context: RenderContext, selector: string, name: string): Promise<StepResult> {
  const keystroke = parseKeystroke(name);
  if (keystroke === undefined) return failed(`no key is called ${JSON.stringify(name)}`);
  const found = selector === '' ? undefined : await findReady(context, focusScript(selector, false));
  if (found !== undefined && found.state !== 'ready') return resultOf(selector, found);
  await context.waitUpTo(press(context.tab.session, keystroke), TYPING_TIMEOUT_MS);
  return DONE;
}

async function wait(context: RenderContext, selector: string, ms: number): Promise<StepResult> {
  if (selector !== '') {
    const { state } = await waitForElement(context, visibleScript(selector), ms);
    if (state === 'ready') return DONE;
    return failed(state === 'invalid' ? invalidSelector(selector) : `nothing visible matched in ${ms} ms`);
  }
  const fittingMs = Math.min(ms, context.spareMs);
  await sleep(fittingMs);
  return { ok: true, note: fittingMs < ms ? `only ${Math.round(fittingMs)} ms were left` : '' };
}

const findReady = (context: RenderContext, script: string): Promise<ElementLookup> =>
  waitForElement(context, script, ELEMENT_TIMEOUT_MS);

const failed = (note: string): StepResult => ({ ok: false, note });
const invalidSelector = (selector: string): string => `${JSON.stringify(selector)} is not a CSS selector`;

function resultOf(selector: string, { state }: ElementLookup): StepResult {
  switch (state) {
    case 'ready':
      return DONE;
    case 'invalid':
      return failed(invalidSelector(selector));
    case 'absent':
      return failed('nothing matched');
    case 'hidden':
      return failed('nothing visible matched');
    case 'disabled':
      return failed('the element is disabled');
    case 'covered':
      return failed('the element is covered by another element');
    case 'unsuitable':
      return failed('the element accepts no input');
    case 'no_option':
      return failed('no enabled option has this value');
  }
}
