import { parentPort } from 'node:worker_threads';
import { messageOf } from '@tidemark/errors';
import { type SelectorSuggestion, suggestSelector } from '../selectors/suggest-selector.ts';
import { compareMarkup } from './compare-markup.ts';
import type { MarkupDelta } from './markup-delta.ts';

/** Two readings to compare, or a selector to find again. */
export type MarkupTask =
  | { readonly kind: 'compare'; readonly before: string; readonly after: string; readonly deadlineMs: number }
  | {
      readonly kind: 'suggest';
      readonly before: readonly string[];
      readonly after: readonly string[];
      readonly selector: string;
    };

export type MarkupAnswer =
  | { readonly kind: 'compare'; readonly delta: MarkupDelta }
  | { readonly kind: 'suggest'; readonly suggestion: SelectorSuggestion | undefined };

/** What a comparing thread tells: that it is loaded, and what came of each task. */
export type MarkupMessage =
  | { readonly ready: true }
  | { readonly id: number; readonly answer: MarkupAnswer }
  | { readonly id: number; readonly error: string };

const tell = (message: MarkupMessage): void => parentPort?.postMessage(message);

const answer = (task: MarkupTask): MarkupAnswer =>
  task.kind === 'compare'
    ? { kind: 'compare', delta: compareMarkup(task.before, task.after, task) }
    : { kind: 'suggest', suggestion: suggestSelector(task.before, task.after, task.selector) };

parentPort?.on('message', ({ id, task }: { id: number; task: MarkupTask }) => {
  try {
    tell({ id, answer: answer(task) });
  } catch (error) {
    tell({ id, error: messageOf(error) });
  }
});
tell({ ready: true });
