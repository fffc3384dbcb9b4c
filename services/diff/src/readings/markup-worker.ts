import { serveTasks } from '@tidemark/worker-threads';
import { compareMarkup } from '../markup/compare-markup.ts';
import type { MarkupDelta } from '../markup/markup-delta.ts';
import { type SuggestedSelector, suggestSelector } from '../selectors/suggest-selector.ts';

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
  | { readonly kind: 'suggest'; readonly suggestion: SuggestedSelector | undefined };

const resultOf = (task: MarkupTask): MarkupResult =>
  task.kind === 'compare'
    ? { kind: 'compare', delta: compareMarkup(task.before, task.after, task) }
    : { kind: 'suggest', suggestion: suggestSelector(task.before, task.after, task.selector) };

serveTasks((task: MarkupTask) => () => resultOf(task));
