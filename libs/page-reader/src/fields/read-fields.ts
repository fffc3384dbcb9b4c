import type { UrlResolver } from '../links/url-resolver.ts';
import { toMarkdown } from '../markdown/write-markdown.ts';
import type { FieldRule } from '../options/content-options.ts';
import { toCleanHtml } from '../output/write-clean-html.ts';
import { attributeOf, type CssSearch } from '../selectors/css-search.ts';
import { isXpath, RefusedSelector } from '../selectors/selector-limits.ts';
import { type XpathMatch, XpathSearch } from '../selectors/xpath-search.ts';
import { collapseSpaces, Element, Flag, type Page, rawText, visibleLine } from '../tree/page-tree.ts';
import { booleanIn, dateIn, numberIn } from './field-values.ts';
import { FIELD_CAP, SHORT_CHARS, TIME_CAP_MS, TOTAL_CHARS_CAP, VALUE_CHARS_CAP, VALUES_CAP } from './thresholds.ts';

export interface FieldInput {
  readonly page: Page;
  readonly urls: UrlResolver;
  readonly css: CssSearch;
  readonly language: string | undefined;
}

type Value = string | number | boolean | null;

/**
 * Extracts the named values from the whole page, before anything is omitted. A field without a match is null or an
 * empty list.
 */
export function readFields(rules: Readonly<Record<string, FieldRule>>, input: FieldInput): Record<string, unknown> {
  const requested = Object.entries(rules).slice(0, FIELD_CAP);
  if (requested.length === 0) return {};
  const reader = new FieldReader(input);
  return Object.fromEntries(requested.map(([name, rule]) => [name, reader.read(name, rule)]));
}

/**
 * Parsel's syntax for text and attributes:
 * https://parsel.readthedocs.io/en/latest/usage.html#extensions-to-css-selectors
 */
const SUFFIX = /^([\s\S]*?)\s*::(?:(text)|attr\(\s*([\w:.-]+)\s*\))\s*$/;

class FieldReader {
  readonly #input: FieldInput;
  readonly #xpath: XpathSearch;
  readonly #endsAtMs = performance.now() + TIME_CAP_MS;
  #chars = 0;

  constructor(input: FieldInput) {
    this.#input = input;
    this.#xpath = new XpathSearch(input.page);
  }

  read(name: string, rule: FieldRule): Value | Value[] {
    const suffix = isXpath(rule.selector) ? null : SUFFIX.exec(rule.selector);
    const attribute = rule.attribute ?? suffix?.[3];
    const selector = suffix ? suffix[1] || '*' : rule.selector;
    const values = this.#values(name, selector, { ...rule, attribute });
    return rule.many ? values : (values[0] ?? null);
  }

  /** Returns the first match that yields a value, or all that do. */
  #values(name: string, selector: string, rule: FieldRule): Value[] {
    const values: Value[] = [];
    for (const found of this.#find(name, selector)) {
      if (this.#isSpent(name, selector)) break;
      const value = this.#capped(this.#valueOf(found, rule));
      if (value === null) continue;
      values.push(value);
      if (!rule.many || values.length >= VALUES_CAP) break;
    }
    return values;
  }

  /** True if a limit is reached. Values of nested elements repeat the page as often as it is deep. */
  #isSpent(name: string, selector: string): boolean {
    const isSpent = this.#chars >= TOTAL_CHARS_CAP || performance.now() > this.#endsAtMs;
    if (isSpent) this.#input.css.note(`fields.${name}`, selector, 'the fields together exceed the limit of a page');
    return isSpent;
  }

  #find(name: string, selector: string): readonly XpathMatch[] {
    const { css } = this.#input;
    if (!isXpath(selector)) return css.all(selector, `fields.${name}`);
    try {
      return this.#xpath.all(selector.trim());
    } catch (error) {
      if (!(error instanceof RefusedSelector)) throw error;
      css.note(`fields.${name}`, selector, error.message);
      return [];
    }
  }

  #valueOf(found: XpathMatch, rule: FieldRule): Value {
    const { type, attribute } = rule;
    if (type === 'html' || type === 'markdown') return this.#markupOf(found, type, attribute);
    if (typeof found === 'number' || typeof found === 'boolean') return primitive(found, type);
    if (found instanceof Element) {
      const text = attribute === undefined ? textFor(found, type) : attributeOf(found, attribute.toLowerCase());
      return text === undefined ? null : this.#typed(text, type);
    }
    return this.#typed(found, type);
  }

  #typed(text: string, type: string): Value {
    if (type === 'number') return numberIn(text);
    if (type === 'boolean') return booleanIn(text);
    if (type === 'date') return dateIn(text, this.#input.language);
    if (type === 'url') return this.#input.urls.link(collapseSpaces(text)) ?? null;
    return collapseSpaces(text.slice(0, VALUE_CHARS_CAP));
  }

  #markupOf(found: XpathMatch, type: 'html' | 'markdown', attribute: string | undefined): Value {
    if (!(found instanceof Element)) return collapseSpaces(String(found));
    if (attribute !== undefined) return attributeOf(found, attribute.toLowerCase()) ?? null;
    const { urls, page } = this.#input;
    if (type === 'html') return toCleanHtml([found], Flag.notRendered, urls);
    return toMarkdown({ urls, skip: Flag.notRendered, roots: [found] }, page);
  }

  #capped(value: Value): Value {
    if (typeof value !== 'string') return value;
    this.#chars += value.length;
    return value.slice(0, VALUE_CHARS_CAP);
  }
}

function primitive(found: number | boolean, type: string): Value {
  if (typeof found === 'number' && !Number.isFinite(found)) return null;
  if (type === 'boolean') return Boolean(found);
  return type === 'number' ? Number(found) : type === 'string' ? String(found) : null;
}

/** Returns the machine-readable value that suits the type, or else the visible text, or else the raw text. */
function textFor(element: Element, type: string): string | undefined {
  const { attributes, tag } = element;
  if (type === 'date') {
    const stamped = attributes['datetime'] ?? attributes['content'];
    if (stamped !== undefined && stamped !== '') return stamped;
  }
  if (type === 'url') {
    const url = attributes['href'] ?? attributes['src'] ?? attributes['content'];
    if (url !== undefined) return url;
  }
  if (tag === 'meta') return attributes['content'];
  const chars = type === 'string' ? VALUE_CHARS_CAP : SHORT_CHARS;
  return visibleLine(element, chars) || rawText(element, chars);
}
