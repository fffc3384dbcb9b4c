import type { ClassifyInput } from './classification.ts';
import { resemblesNotFound } from './not-found.ts';
import { MANY_LINKS } from './thresholds.ts';

/** Returns the signals that a page is real, in the specification's words. */
export function signalsOf(input: ClassifyInput): string[] {
  const { evidence, rendered, httpStatus } = input;
  const signals: [boolean, string][] = [
    [httpStatus >= 400, `http ${httpStatus}`],
    [evidence.hasNav, 'nav'],
    [evidence.links >= MANY_LINKS, `${MANY_LINKS} links`],
    [evidence.jsonLd, 'json-ld'],
    [evidence.openGraph, 'open graph'],
    [evidence.hasMain, 'main'],
    [evidence.scripts === 0, 'no script'],
    [evidence.shape === 'listing', 'listing'],
    [rendered, 'render confirmed'],
    [resemblesNotFound(input), 'soft404?'],
  ];
  return signals.filter(([holds]) => holds).map(([, name]) => name);
}
