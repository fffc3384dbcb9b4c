import type { Action as ActionMessage } from '@tidemark/contracts/browser/v1/browser';
import type { LiveInput as LiveInputMessage, LivePoint } from '@tidemark/contracts/browser/v1/live';
import { AppError } from '@tidemark/errors';
import type { LiveInput, Point } from '../live/perform-input.ts';
import type { Action } from '../page/render-task.ts';
import { parseActions } from './parse-render-request.ts';

/** Larger than any viewport. */
const MAX_COORDINATE = 10_000;
const MAX_SELECTOR = 1_000;
const MAX_TEXT = 10_000;
const MAX_KEY = 40;

const invalid = (message: string): AppError => new AppError('validation', message);

/** @throws AppError validation */
export function parsePoint(point: LivePoint | undefined): Point {
  if (point === undefined) throw invalid('a point is required');
  const isInside = [point.x, point.y].every((value) => value >= 0 && value <= MAX_COORDINATE);
  if (!isInside) throw invalid(`a point has coordinates from 0 to ${MAX_COORDINATE}`);
  return { x: point.x, y: point.y };
}

/** Parses an input. @throws AppError validation */
export function parseLiveInput(message: LiveInputMessage | undefined): LiveInput {
  const input = message?.input;
  switch (input?.$case) {
    case 'click': {
      const { target } = input.value;
      if (target?.$case === 'point') return { kind: 'click', point: parsePoint(target.value) };
      return action({ kind: 'click', selector: target?.value });
    }
    case 'type': {
      const { text, selector } = input.value;
      if (text === '' || text.length > MAX_TEXT) throw invalid(`a text has 1 to ${MAX_TEXT} characters`);
      return { kind: 'type', text, ...atSelector(selector) };
    }
    case 'press': {
      const { key, selector } = input.value;
      if (key === '' || key.length > MAX_KEY) throw invalid(`the name of a key has 1 to ${MAX_KEY} characters`);
      return { kind: 'press', key, ...atSelector(selector) };
    }
    case 'scroll':
      return action({ kind: 'scroll', selector: input.value.selector, text: input.value.to });
    case 'select':
      return action({ kind: 'select', selector: input.value.selector, text: input.value.value });
    case 'wait':
      return action({ kind: 'wait', selector: input.value.selector, ms: input.value.ms });
    default:
      throw invalid('an input has a kind');
  }
}

function atSelector(selector: string | undefined): { readonly selector?: string } {
  if (selector === undefined) return {};
  if (selector.trim() === '' || selector.length > MAX_SELECTOR)
    throw invalid(`a selector has 1 to ${MAX_SELECTOR} characters`);
  return { selector };
}

interface ActionParts {
  readonly kind: ActionMessage['kind'];
  readonly selector: string | undefined;
  readonly text?: string;
  readonly ms?: number;
}

function action({ kind, selector = '', text = '', ms = 0 }: ActionParts): LiveInput {
  const [parsed] = parseActions([{ kind, selector, text, ms }]);
  if (parsed === undefined) throw invalid('an input has a kind');
  return { kind: 'action', action: parsed };
}

/** Converts an action to its message. */
export function toActionMessage(action: Action): ActionMessage {
  const blank = { kind: action.kind, selector: action.selector, text: '', ms: 0 };
  switch (action.kind) {
    case 'click':
      return blank;
    case 'type':
      return { ...blank, text: action.text };
    case 'press':
      return { ...blank, text: action.key };
    case 'scroll':
      return { ...blank, text: action.to };
    case 'wait':
      return { ...blank, ms: action.ms };
    case 'select':
      return { ...blank, text: action.value };
  }
}
