import { parentPort } from 'node:worker_threads';
import { messageOf } from '@tidemark/errors';
import { compareMarkup } from '../markup/compare-markup.ts';
import type { MarkupDelta } from '../markup/markup-delta.ts';
import { type SelectorSuggestion, suggestSelector } from '../selectors/suggest-selector.ts';

/** A pair of readings to compare, or a selector to replace. */
export type MarkupTask =
  | { readonly kind: 'compare'; readonly before: string; readonly after: string; readonly deadlineMs: number }
  | {
      readonly kind: 'suggest';
      readonly before: readonly string[];
      readonly after: readonly string[];
      readonly selector: string;
    };

export type MarkupResult =
  | { readonly kind: 'compare'; readonly delta: MarkupDelta }
  | { readonly kind: 'suggest'; readonly suggestion: SelectorSuggestion | undefined };

/** Messages of a thread: loaded, and the result of each task. */
export type MarkupMessage =
  | { readonly ready: true }
  | { readonly id: number; readonly result: MarkupResult }
  | { readonly id: number; readonly error: string };

const send = (message: MarkupMessage): void => parentPort?.postMessage(message);

const resultOf = (task: MarkupTask): MarkupResult =>
  task.kind === 'compare'
    ? { kind: 'compare', delta: compareMarkup(task.before, task.after, task) }
    : { kind: 'suggest', suggestion: suggestSelector(task.before, task.after, task.selector) };

parentPort?.on('message', ({ id, task }: { id: number; task: MarkupTask }) => {
  try {
    send({ id, result: resultOf(task) });
  } catch (error) {
    send({ id, error: messageOf(error) });
  }
});
send({ ready: true });
