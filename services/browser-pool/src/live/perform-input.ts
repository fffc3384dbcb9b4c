import { type Keystroke, parseKeystroke, press } from '../actions/keyboard.ts';
import {
  performAction,
  type StepResult,
  TYPING_TIMEOUT_MS,
  typeText,
  waitForReaction,
} from '../actions/perform-actions.ts';
import { clickAt } from '../actions/pointer.ts';
import type { RenderContext } from '../page/render-context.ts';
import type { Action } from '../page/render-task.ts';
import { focusScript, waitForElement } from '../page/wait-for-element.ts';
import { atPointScript, type FoundElement, focusedScript, toFound } from './element-scripts.ts';

/** A point of the viewport, CSS pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** One input of a person. Without a selector it goes to the focused element. */
export type LiveInput =
  | { readonly kind: 'click'; readonly point: Point }
  | { readonly kind: 'type'; readonly text: string; readonly selector?: string }
  | { readonly kind: 'press'; readonly key: string; readonly selector?: string }
  /** An action as it is recorded: a click by selector, scroll, wait, select. */
  | { readonly kind: 'action'; readonly action: Action };

/** Why an input is not recorded. */
export type UnrecordedReason = 'secret' | 'unreachable' | 'no_target' | 'failed' | 'edit';

/** What an input changes of the recorded actions. */
export type RecordChange =
  | { readonly kind: 'add'; readonly action: Action }
  /** The last character typed into the field was removed; `otherwise` is added if none is recorded. */
  | { readonly kind: 'erase'; readonly selector: string; readonly otherwise: Action }
  /** `secretField`: nothing typed into it stays recorded. */
  | { readonly kind: 'none'; readonly reason: UnrecordedReason; readonly secretField?: string };

/** An option of a list. */
export interface ListOption {
  readonly value: string;
  readonly label: string;
  readonly selected: boolean;
}

/** Result of an input. */
export interface InputOutcome {
  readonly change: RecordChange;
  /** Reason of a failure, or a remark; may be empty. */
  readonly note: string;
  /** The list that was clicked. A browser without a screen does not show its options. */
  readonly list?: { readonly selector: string; readonly options: readonly ListOption[] };
}

type Element = Extract<FoundElement, { kind: 'element' }>;

/** Maximum wait for a field, ms. */
const FIELD_TIMEOUT_MS = 2_000;
const LOOKUP_TIMEOUT_MS = 2_000;
/** Maximum wait for the effects of an input, ms. */
const REACTION_MAX_MS = 5_000;
const SHIFT = 8;
/** Keys that enter nothing, so that they may be recorded of a secret field. */
const HARMLESS_KEYS: ReadonlySet<string> = new Set(['Enter', 'Escape']);

const unrecorded = (reason: UnrecordedReason, note = ''): InputOutcome => ({ change: { kind: 'none', reason }, note });
const added = (action: Action, note = ''): InputOutcome => ({ change: { kind: 'add', action }, note });
const failed = ({ note }: Pick<StepResult, 'note'>): InputOutcome => unrecorded('failed', note);
const secret = (field: string): InputOutcome => ({
  change: { kind: 'none', reason: 'secret', secretField: field },
  note: '',
});

/** Performs an input and waits for its effects. @throws UnreadablePage if it leads to a page that can not be read */
export async function performInput(context: RenderContext, input: LiveInput): Promise<InputOutcome> {
  context.activity.resetPolling();
  const outcome = await perform(context, input);
  await waitForReaction(context, REACTION_MAX_MS);
  return outcome;
}

async function perform(context: RenderContext, input: LiveInput): Promise<InputOutcome> {
  switch (input.kind) {
    case 'click':
      return clickPoint(context, input.point);
    case 'type':
      return typeInto(context, input.text, input.selector);
    case 'press':
      return pressKey(context, input.key, input.selector);
    case 'action': {
      const result = await performAction(context, input.action);
      return result.ok ? added(input.action, result.note) : failed(result);
    }
  }
}

async function clickPoint(context: RenderContext, { x, y }: Point): Promise<InputOutcome> {
  const found = toFound(await context.tryEvaluate(atPointScript(x, y), LOOKUP_TIMEOUT_MS));
  if (found.kind === 'element' && found.options !== undefined) {
    const { selector, options } = found;
    return { ...unrecorded('edit'), list: { selector, options } };
  }
  // What a run can not repeat is not done: the page would differ from what the recorded actions lead to.
  if (found.kind === 'unreachable') return unrecorded('unreachable');
  await clickAt(context, x, y);
  return found.kind === 'element' ? added({ kind: 'click', selector: found.selector }) : unrecorded('no_target');
}

async function typeInto(context: RenderContext, text: string, selector: string | undefined): Promise<InputOutcome> {
  const field = await focusedField(context, selector);
  if (field.kind === 'none') return unrecorded('no_target');
  if (field.kind === 'failed') return failed(field);
  if (field.kind === 'unreachable') return unrecorded('unreachable');
  // Actions type at the end of a field.
  await focus(context, field.selector, true);
  const endsAtMs = performance.now() + Math.min(TYPING_TIMEOUT_MS, context.spareMs);
  const isTimeUp = () => performance.now() >= endsAtMs;
  await context.waitUpTo(typeText(context.tab.session, text, isTimeUp), TYPING_TIMEOUT_MS);
  // A page may make a field secret as soon as it is used.
  const after = await focused(context);
  const isSecret = field.isSecret || (after.kind === 'element' && after.isSecret);
  if (isSecret) return secret(field.selector);
  if (isTimeUp()) return failed({ note: 'the page accepted the text too slowly' });
  return added({ kind: 'type', selector: selector ?? field.selector, text });
}

async function pressKey(context: RenderContext, key: string, selector: string | undefined): Promise<InputOutcome> {
  const keystroke = parseKeystroke(key);
  if (keystroke === undefined) return failed({ note: `no key is called ${JSON.stringify(key)}` });
  const target = await focusedElement(context, selector);
  if (target.kind === 'failed') return failed(target);
  const { text } = keystroke.key;
  if (target.kind === 'element' && target.isTextField && isCharacter(keystroke) && text !== undefined)
    return typeInto(context, text, selector);
  // Tab leaves a frame.
  if (target.kind === 'unreachable' && keystroke.key.key !== 'Tab') return unrecorded('unreachable');
  await context.waitUpTo(press(context.tab.session, keystroke), TYPING_TIMEOUT_MS);
  // The next action focuses its own element.
  if (target.kind === 'unreachable' || keystroke.key.key === 'Tab') return unrecorded('edit');
  if (target.kind === 'none') return added({ kind: 'press', selector: '', key });
  return pressedOn(context, { ...target, selector: selector ?? target.selector }, keystroke, key);
}

/** Returns what a key that was pressed on an element changes. */
async function pressedOn(
  context: RenderContext,
  target: Element,
  { key: { key } }: Keystroke,
  name: string,
): Promise<InputOutcome> {
  const { selector, isSecret, isTextField, options } = target;
  if (isSecret && !HARMLESS_KEYS.has(key)) return secret(selector);
  const action: Action = { kind: 'press', selector, key: name };
  if (isTextField && key === 'Backspace') return { change: { kind: 'erase', selector, otherwise: action }, note: '' };
  const after = options === undefined ? undefined : await focused(context);
  const chosen = after?.kind === 'element' ? after.options?.find(({ selected }) => selected) : undefined;
  return added(chosen === undefined ? action : { kind: 'select', selector, value: chosen.value });
}

const isCharacter = ({ key, modifiers }: Keystroke): boolean => key.key !== 'Enter' && (modifiers & ~SHIFT) === 0;

const focused = async (context: RenderContext): Promise<FoundElement> =>
  toFound(await context.tryEvaluate(focusedScript, LOOKUP_TIMEOUT_MS));

const focus = (context: RenderContext, selector: string, isForText: boolean) =>
  waitForElement(context, focusScript(selector, isForText), FIELD_TIMEOUT_MS);

type Focused = FoundElement | { readonly kind: 'failed'; readonly note: string };

/** Focuses the element if one is named. @returns the focused element */
async function focusedElement(context: RenderContext, selector: string | undefined): Promise<Focused> {
  if (selector === undefined) return focused(context);
  const { state } = await focus(context, selector, false);
  return state === 'ready' ? focused(context) : { kind: 'failed', note: `the element is ${state}` };
}

/** Returns the focused element if text can be typed into it. */
async function focusedField(context: RenderContext, selector: string | undefined): Promise<Focused> {
  const found = await focusedElement(context, selector);
  return found.kind === 'element' && !found.isTextField ? { kind: 'none' } : found;
}
