import { parse, type Selector, SelectorType } from 'css-what';

/** A selector that cannot be run, and why. */
export class RefusedSelector extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RefusedSelector';
  }
}

/** The reason for a selector that other pages may still accept. */
export const TOO_COSTLY = 'too costly for this page';

/**
 * True for paths, and for expressions that start with a function call, such as `count(//a)`; CSS selectors do neither.
 */
export const isXpath = (selector: string): boolean => /^\s*(?:[/(]|(?:fn:)?[a-z][a-z-]*\()/.test(selector);

export const SELECTOR_CHARS_CAP = 1_000;
const PARTS_CAP = 50;

/**
 * Parses a CSS selector and checks that it is small enough to run. `:has` visits everything below an element, so it is
 * refused inside another pseudo-class.
 * @throws RefusedSelector
 */
export function parseSelector(selector: string): Selector[][] {
  if (selector.length > SELECTOR_CHARS_CAP) throw new RefusedSelector(`longer than ${SELECTOR_CHARS_CAP} characters`);
  if (selector.trim() === '') throw new RefusedSelector('empty');
  const alternatives = parseOrRefuse(selector);
  if (countParts(alternatives, false) > PARTS_CAP) throw new RefusedSelector(`more than ${PARTS_CAP} parts`);
  return alternatives;
}

function parseOrRefuse(selector: string): Selector[][] {
  try {
    return parse(selector);
  } catch {
    throw new RefusedSelector('not a CSS selector');
  }
}

function countParts(alternatives: readonly (readonly Selector[])[], nested: boolean): number {
  let parts = 0;
  for (const part of alternatives.flat()) {
    parts++;
    if (part.type === SelectorType.PseudoElement) throw new RefusedSelector(`::${part.name} names no element`);
    if (part.type !== SelectorType.Pseudo) continue;
    if (nested && part.name === 'has') throw new RefusedSelector(':has inside another pseudo-class');
    if (Array.isArray(part.data)) parts += countParts(part.data, true);
    else if (part.data && /\bof\b/i.test(part.data) && part.name.startsWith('nth-'))
      throw new RefusedSelector(`:${part.name}(… of …) is not supported`);
  }
  return parts;
}
