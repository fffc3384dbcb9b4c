import { decodeHTML } from 'entities';
import type { Attributes, Element, IndexedElements } from './page-tree.ts';

/** State that a page shares with the parsed content of its noscript elements. */
export interface PageParts {
  readonly indexed: { [kind in keyof IndexedElements]: Element[] };
  readonly keepsAllAttributes: boolean;
  /** Undefined: comments are skipped. */
  readonly comments: Map<Element, string[]> | undefined;
  readonly maxElements: number;
  /** True if the page contains NUL characters, which are rare. */
  readonly hasNul: boolean;
  elements: number;
}

export const nothingIndexed = (): PageParts['indexed'] => ({
  metas: [],
  links: [],
  titles: [],
  scripts: [],
  headings: [],
  times: [],
  anchors: [],
  superscripts: [],
  microdata: [],
  typed: [],
});

const NON_SPACE = /[^\t\n\f\r ]/;
/** Markup whose angle brackets are escaped, as serialisers of XML write the content of noscript. */
const ESCAPED_MARKUP = /^[^<]*&lt;[a-z]/i;

/** True for text of HTML's white space only, which excludes the no-break space. */
export const isBlankText = (text: string): boolean => !NON_SPACE.test(text);

/**
 * Drops NUL characters, or replaces them in raw and foreign text:
 * https://html.spec.whatwg.org/multipage/parsing.html#parse-error-unexpected-null-character
 */
export const withoutNul = (text: string, isRaw: boolean): string => text.replaceAll('\0', isRaw ? '\uFFFD' : '');

/** Returns the markup of a noscript element. */
export const noscriptMarkup = (content: string): string =>
  ESCAPED_MARKUP.test(content) ? decodeHTML(content) : content;

/** Adds the attributes of a repeated html or body tag to the existing element. Such a tag inside noscript has no element and adds nothing. */
export function mergeAttributes(element: Element, attributes: Attributes): void {
  if (element.tag === 'noscript') return;
  for (const [name, value] of Object.entries(attributes)) {
    if (element.attributes[name] === undefined) Object.assign(element.attributes, { [name]: value });
  }
}
