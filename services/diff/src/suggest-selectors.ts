import { setTimeout as after } from 'node:timers/promises';
import type { SelectorSuggestion } from '@tidemark/contracts/diff/v1/diff';
import type { SelectorBreak } from './selectors/find-breaks.ts';
import type { SelectorSuggestion as Found } from './selectors/suggest-selector.ts';

/** Selectors looked for again in one answer. */
const MOST_SUGGESTIONS = 10;

/**
 * What to take in place of selectors that broke. One is looked for after the other, so that others who compare have their turn in between;
 * those that the time is not enough for are told without a suggestion.
 */
export async function suggestSelectors(
  breaks: readonly Pick<SelectorBreak, 'setting' | 'selector'>[],
  suggest: (selector: string) => Promise<Found | undefined>,
  withinMs: number,
): Promise<SelectorSuggestion[]> {
  let isOver = false;
  const over = after(withinMs, undefined, { ref: false }).then(() => {
    isOver = true;
  });
  const selectors: SelectorSuggestion[] = [];
  for (const { setting, selector } of breaks.slice(0, MOST_SUGGESTIONS)) {
    const found = isOver ? undefined : await Promise.race([suggest(selector), over]);
    selectors.push({
      setting,
      selector,
      suggestion: found?.selector ?? '',
      confidence: found?.confidence ?? 0,
      pagesChecked: found?.pagesChecked ?? 0,
      region: found?.text ?? '',
    });
  }
  return selectors;
}
