import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer-core';
import { type Found, focusScript, intoViewScript, pointScript, untilReady, visibleScript } from '../elements.ts';
import type { Action } from '../order.ts';
import type { Visit } from '../visit.ts';
import { press, strokeOf } from './keyboard.ts';
import { pressPoint } from './pointer.ts';
import { scrollPage } from './scroll.ts';

/** An element that isn't there yet may come: so long. */
const ELEMENT_MAX_MS = 5_000;
/** What an action sets off begins within this time: a handler's timer, a frame, a navigation. */
const REACTION_MS = 100;
/** Between two looks at whether an element moves: some frames. */
const STILL_MS = 50;
/** Characters typed key by key; what follows is put in at once, as a paste is. */
const KEYS_MAX = 1_000;
const TYPING_MAX_MS = 10_000;

/** What came of trying: the note of a success is often empty. */
interface Tried {
  readonly ok: boolean;
  readonly note: string;
}

const DONE: Tried = { ok: true, note: '' };

/** Does what a visitor would, one thing after the other, the page settling in between. Stops at what can't be done. */
export async function perform(visit: Visit, actions: readonly Action[]): Promise<void> {
  for (const [index, action] of actions.entries()) {
    const startedAtMs = performance.now();
    const { ok, note } = visit.spareMs === 0 ? failed('no time was left') : await attempt(visit, action);
    const { kind, selector } = action;
    visit.outcomes.push({ kind, selector, ok, ms: performance.now() - startedAtMs, note });
    if (!ok) {
      const rest = actions.length - index - 1;
      visit.warn(`actions: ${kind} failed, ${note}${rest === 0 ? '' : `; the ${rest} after it were not tried`}`);
      return;
    }
    await react(visit);
  }
}

async function attempt(visit: Visit, action: Action): Promise<Tried> {
  visit.activity.beginAnew();
  switch (action.kind) {
    case 'click':
      return click(visit, action.selector);
    case 'type':
      return type(visit, action.selector, action.text);
    case 'press':
      return pressKey(visit, action.selector, action.key);
    case 'scroll': {
      if (action.selector !== '') return tried(action.selector, await ready(visit, intoViewScript(action.selector)));
      return { ok: true, note: await scrollPage(visit, action.to, (mostMs) => react(visit, mostMs)) };
    }
    case 'wait':
      return wait(visit, action.selector, action.ms);
  }
}

/** Lets the page answer to what was done to it, and settle. */
async function react(visit: Visit, mostMs?: number): Promise<void> {
  await sleep(Math.min(REACTION_MS, visit.spareMs));
  await visit.settle(mostMs);
}

async function click(visit: Visit, selector: string): Promise<Tried> {
  const endsAtMs = performance.now() + ELEMENT_MAX_MS;
  let before: Found | undefined;
  // Twice at the same place: what is moving would be missed.
  while (performance.now() < endsAtMs && visit.spareMs > 0) {
    const found = await untilReady(visit, pointScript(selector), endsAtMs - performance.now());
    if (found.state !== 'ready') return tried(selector, found);
    if (before?.x === found.x && before.y === found.y) {
      await pressPoint(visit, found.x, found.y);
      return DONE;
    }
    before = found;
    await sleep(STILL_MS);
  }
  return failed('the element did not keep still');
}

async function type(visit: Visit, selector: string, text: string): Promise<Tried> {
  const found = await ready(visit, focusScript(selector, true));
  if (found.state !== 'ready') return tried(selector, found);
  const endsAtMs = performance.now() + Math.min(TYPING_MAX_MS, visit.spareMs);
  const isTimeUp = () => performance.now() >= endsAtMs;
  await visit.patiently(write(visit.tab.session, text, isTimeUp), TYPING_MAX_MS);
  return isTimeUp() ? failed('the page took the text too slowly') : DONE;
}

async function write(session: CDPSession, text: string, isTimeUp: () => boolean): Promise<void> {
  const characters = [...text.replaceAll('\r\n', '\n')];
  for (const character of characters.slice(0, KEYS_MAX)) {
    const stroke = strokeOf(character === '\n' ? 'Enter' : character);
    if (isTimeUp()) return;
    if (stroke !== undefined) await press(session, stroke);
  }
  const rest = characters.slice(KEYS_MAX).join('');
  if (rest !== '') await session.send('Input.insertText', { text: rest });
}

async function pressKey(visit: Visit, selector: string, name: string): Promise<Tried> {
  const stroke = strokeOf(name);
  if (stroke === undefined) return failed(`no key is called ${JSON.stringify(name)}`);
  const found = selector === '' ? undefined : await ready(visit, focusScript(selector, false));
  if (found !== undefined && found.state !== 'ready') return tried(selector, found);
  await visit.patiently(press(visit.tab.session, stroke), TYPING_MAX_MS);
  return DONE;
}

async function wait(visit: Visit, selector: string, ms: number): Promise<Tried> {
  if (selector !== '') {
    const { state } = await untilReady(visit, visibleScript(selector), ms);
    if (state === 'ready') return DONE;
    return failed(state === 'invalid' ? notASelector(selector) : `nothing visible matched in ${ms} ms`);
  }
  const fittingMs = Math.min(ms, visit.spareMs);
  await sleep(fittingMs);
  return { ok: true, note: fittingMs < ms ? `only ${Math.round(fittingMs)} ms were left` : '' };
}

const ready = (visit: Visit, script: string): Promise<Found> => untilReady(visit, script, ELEMENT_MAX_MS);

const failed = (note: string): Tried => ({ ok: false, note });
const notASelector = (selector: string): string => `${JSON.stringify(selector)} is not a CSS selector`;

function tried(selector: string, { state }: Found): Tried {
  switch (state) {
    case 'ready':
      return DONE;
    case 'invalid':
      return failed(notASelector(selector));
    case 'absent':
      return failed('nothing matched');
    case 'hidden':
      return failed('nothing visible matched');
    case 'disabled':
      return failed('the element is disabled');
    case 'covered':
      return failed('something lies on top of the element');
    case 'unsuitable':
      return failed('the element takes no input');
  }
}
