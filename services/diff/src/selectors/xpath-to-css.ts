import { cssName } from '../markup/structural-selector.ts';

const STEP = /^(\/\/?)(\*|[a-zA-Z][\w-]*)((?:\[[^\]]{1,300}\])*)/;
const MAX_STEPS = 50;

/**
 * Translates an XPath of the kind that browser tools copy: child and descendant steps, positions, attribute conditions.
 * A trailing `/text()` or `/@href` is dropped. Undefined: no CSS equivalent.
 */
export function xpathToCss(xpath: string): string | undefined {
  let rest = xpath
    .trim()
    .replace(/^xpath:/i, '')
    .replace(/^\./, '')
    .replace(/\/{1,2}(?:text\(\)|@[\w:-]+|node\(\))$/, '');
  let css = '';
  for (let steps = 0; rest !== ''; steps += 1) {
    const step = STEP.exec(rest);
    if (step === null || steps >= MAX_STEPS) return undefined;
    const [all, slashes, tag = '*', predicates = ''] = step;
    const conditions = conditionsOf(predicates, tag);
    if (conditions === undefined) return undefined;
    css += `${css === '' ? '' : slashes === '/' ? ' > ' : ' '}${tag.toLowerCase()}${conditions}`;
    rest = rest.slice(all.length);
  }
  return css === '' ? undefined : css;
}

function conditionsOf(predicates: string, tag: string): string | undefined {
  let css = '';
  for (const [, predicate = ''] of predicates.matchAll(/\[([^\]]*)\]/g)) {
    for (const part of predicate.split(/\s+and\s+/)) {
      const condition = conditionOf(part.trim(), tag);
      if (condition === undefined) return undefined;
      css += condition;
    }
  }
  return css;
}

function conditionOf(part: string, tag: string): string | undefined {
  if (/^\d{1,6}$/.test(part)) return tag === '*' ? `:nth-child(${part})` : `:nth-of-type(${part})`;
  if (part === 'last()') return tag === '*' ? ':last-child' : ':last-of-type';
  const attribute = /^@([\w:-]+)(?:\s*=\s*(["'])(.*)\2)?$/.exec(part);
  if (attribute) {
    const [, name = '', quote, value = ''] = attribute;
    return quote === undefined ? `[${cssName(name)}]` : `[${cssName(name)}=${quoted(value)}]`;
  }
  const partial = /^(contains|starts-with)\(\s*@([\w:-]+)\s*,\s*(["'])(.*)\3\s*\)$/.exec(part);
  if (partial === null) return undefined;
  const [, operator, name = '', , value = ''] = partial;
  return `[${cssName(name)}${operator === 'contains' ? '*' : '^'}=${quoted(value)}]`;
}

/** Quotes an attribute value for a selector. */
export const quoted = (value: string): string => `"${value.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\a ')}"`;
