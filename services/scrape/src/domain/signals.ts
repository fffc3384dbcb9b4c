import type { JudgeInput } from './verdict.ts';
import { smellsNotFound } from './verdict-not-found.ts';

/** Links from which a page counts as part of a site. */
const MANY_LINKS = 30;

/** What speaks for a page being real, in the specification's words. */
export function signalsOf(input: JudgeInput): string[] {
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
    [smellsNotFound(input), 'soft404?'],
  ];
  return signals.filter(([holds]) => holds).map(([, name]) => name);
}
