import type { Body, Result } from '@tidemark/sdk';
import { type ActionRow, readActions } from '../../parts/settings/rows.ts';

export type RecorderState = Omit<Result<'POST /projects/{id}/recorder'>, 'creditsUsed' | 'request_id'>;
export type RecorderInput = Body<'POST /projects/{id}/recorder/{recorder}/input'>;
export type RecorderStep = Result<'POST /projects/{id}/recorder/{recorder}/input'>;
export type Picked = Result<'POST /projects/{id}/recorder/{recorder}/pick'>['element'];
export type Played = Result<'POST /projects/{id}/recorder/{recorder}/play'>;
export type Steps = RecorderState['actions'];

export const END_REASONS = ['expired', 'closed', 'idle', 'crashed', 'shutdown'] as const;
export type EndReason = (typeof END_REASONS)[number];

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Converts a point of the picture, as it is shown, to a point of the viewport of the page. */
export function toPagePoint(
  { x, y }: { readonly x: number; readonly y: number },
  shown: Size,
  viewport: Size,
): { readonly x: number; readonly y: number } {
  const scaled = (value: number, from: number, to: number) =>
    Math.min(to - 1, Math.max(0, Math.round((value / Math.max(1, from)) * to)));
  return { x: scaled(x, shown.width, viewport.width), y: scaled(y, shown.height, viewport.height) };
}

/** Keys of the picture that stay with the console: they leave it. */
const LEAVING: ReadonlySet<string> = new Set(['Tab', 'Escape']);
const MODIFIERS: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'Dead', 'CapsLock']);

/** The part of a keyboard event that is used. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
}

/** Returns what a key does to the page: text that is typed, a key that is pressed, or nothing. */
export function keyOf({
  key,
  ctrlKey,
  altKey,
  metaKey,
}: KeyPress): { readonly text: string } | { readonly key: string } | undefined {
  if (LEAVING.has(key) || MODIFIERS.has(key) || ctrlKey || metaKey) return undefined;
  if ([...key].length === 1) return { text: key };
  return altKey ? undefined : { key };
}

/** Returns the input that types collected text: one character may also be a key of a page without a field. */
export const typed = (text: string): RecorderInput =>
  [...text].length === 1 ? { type: 'press', key: text === ' ' ? 'Space' : text } : { type: 'type', text };

/** Returns the step of a row of the editor. */
function stepOf({ type, selector, text, key, to, value, ms }: ActionRow): Steps[number] {
  const at = selector === '' ? {} : { selector };
  switch (type) {
    case 'click':
      return { type, selector };
    case 'type':
      return { type, selector, text };
    case 'press':
      return { type, key, ...at };
    case 'scroll':
      return { type, to, ...at };
    case 'wait':
      return { type, ms: Number(ms), ...at };
    case 'select':
      return { type, selector, value };
  }
}

/** Reads the steps of a text of the editor; undefined for another value. */
export function stepsIn(text: string): Steps | undefined {
  try {
    return readActions(text)?.map(stepOf);
  } catch {
    return undefined;
  }
}

export const reasonIn = (data: unknown): EndReason => {
  const reason = typeof data === 'object' && data !== null && 'reason' in data ? data.reason : undefined;
  return END_REASONS.find((one) => one === reason) ?? 'crashed';
};

export const frameIn = (data: unknown): { readonly src: string; readonly url: string } | undefined =>
  typeof data === 'object' &&
  data !== null &&
  'jpeg' in data &&
  typeof data.jpeg === 'string' &&
  'url' in data &&
  typeof data.url === 'string'
    ? { src: `data:image/jpeg;base64,${data.jpeg}`, url: data.url }
    : undefined;
