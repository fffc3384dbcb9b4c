import { setTimeout as delay } from 'node:timers/promises';
import type { SelectorSuggestion } from '@tidemark/contracts/diff/v1/diff';
import type { SelectorBreak } from './find-breaks.ts';
import type { SelectorSuggestion as Suggestion } from './suggest-selector.ts';

/** Selectors of one response that get a suggestion. */
const MAX_SUGGESTIONS = 10;

/**
 * Suggests replacements for selectors that broke. Runs one search after the other, so that other requests get the thread in between. Selectors
 * not reached within `timeoutMs` are listed without a suggestion.
 */
export async function suggestSelectors(
  breaks: readonly Pick<SelectorBreak, 'setting' | 'selector'>[],
  suggest: (selector: string) => Promise<Suggestion | undefined>,
  timeoutMs: number,
): Promise<SelectorSuggestion[]> {
  let isTimedOut = false;
  const timeout = delay(timeoutMs, undefined, { ref: false }).then(() => {
    isTimedOut = true;
  });
  const selectors: SelectorSuggestion[] = [];
  for (const { setting, selector } of breaks.slice(0, MAX_SUGGESTIONS)) {
    const found = isTimedOut ? undefined : await Promise.race([suggest(selector), timeout]);
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
