import { setTimeout as delay } from 'node:timers/promises';
import type { SelectorBreak } from './find-breaks.ts';
import type { SuggestedSelector } from './suggest-selector.ts';

/** Selectors of one response that get a suggestion. */
const MAX_SUGGESTIONS = 10;

/** A selector that broke, with its suggested replacement. */
export interface SelectorRepair {
  readonly setting: string;
  readonly selector: string;
  /** Absent: none was found in time. */
  readonly suggestion: SuggestedSelector | undefined;
}

/**
 * Suggests replacements for selectors that broke. Runs one search after the other, so that other requests get the thread in between. Selectors
 * not reached within `timeoutMs` are listed without a suggestion.
 */
export async function suggestSelectors(
  breaks: readonly Pick<SelectorBreak, 'setting' | 'selector'>[],
  suggest: (selector: string) => Promise<SuggestedSelector | undefined>,
  timeoutMs: number,
): Promise<SelectorRepair[]> {
  let isTimedOut = false;
  const timeout = delay(timeoutMs, undefined, { ref: false }).then(() => {
    isTimedOut = true;
    return undefined;
  });
  const repairs: SelectorRepair[] = [];
  for (const { setting, selector } of breaks.slice(0, MAX_SUGGESTIONS)) {
    const suggestion = isTimedOut ? undefined : await Promise.race([suggest(selector), timeout]);
    repairs.push({ setting, selector, suggestion });
  }
  return repairs;
}
