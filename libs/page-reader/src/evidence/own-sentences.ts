import { countText } from '../tree/count-words.ts';
import { Hint } from '../tree/name-hints.ts';
import { collapseSpaces, type Element, Flag, isBlock, isInside, linkDensity } from '../tree/page-tree.ts';
import type { OwnSentence } from '../verdict/page-evidence.ts';
import { CHROME_LINKS, MAX_CHARS, MAX_SENTENCES, MENU_WORDS } from './thresholds.ts';

/** Their text belongs to the site, labels a field or names the page. */
const SKIPPED_TAGS = new Set(
  'nav footer h1 h2 label button select option optgroup legend textarea noscript menu'.split(' '),
);
const SKIPPED_ROLES = new Set(['navigation', 'banner', 'contentinfo', 'search', 'menu', 'menubar', 'button']);
const SECTIONS = new Set(['main', 'article', 'section']);

/** A sentence ends at a stop before a space, or at the stop of a script without spaces. */
const SENTENCE_END = /(?<=[.!?…])\s+|(?<=[。！？])/u;

/**
 * Returns the sentences of a page in source order, without its title, headings of the first two levels, site chrome
 * and the labels of its fields.
 */
export function ownSentences(body: Element): OwnSentence[] {
  const collector = new SentenceCollector(body.words);
  collector.visit(body);
  collector.endLine();
  return collector.sentences;
}

class SentenceCollector {
  readonly #bodyWords: number;
  readonly sentences: OwnSentence[] = [];
  #chars = 0;
  #line = '';
  #links = 0;
  /** True while the line consists of link text only. */
  #isLink = true;

  constructor(bodyWords: number) {
    this.#bodyWords = bodyWords;
  }

  visit(element: Element, inLink = false): void {
    for (const child of element.children) {
      if (this.sentences.length >= MAX_SENTENCES || this.#chars >= MAX_CHARS) return;
      if (typeof child === 'string') this.#text(child, inLink);
      else if (child.tag === 'br') this.endLine();
      else if (!isOmitted(child, this.#bodyWords)) this.#child(child, inLink);
    }
  }

  endLine(): void {
    const line = collapseSpaces(this.#line);
    const isLink = this.#isLink;
    const links = this.#links;
    this.#line = '';
    this.#links = 0;
    this.#isLink = true;
    if (line === '') return;
    const kind = kindOf(isLink, countText(line).words, links);
    for (const text of line.split(SENTENCE_END)) {
      const { words } = countText(text);
      if (words > 0) this.sentences.push({ text, words, kind });
    }
  }

  #child(element: Element, inLink: boolean): void {
    const isLink = element.tag === 'a';
    if (isLink) this.#links++;
    const isApart = isBlock(element.tag);
    if (isApart) this.endLine();
    // A link around blocks, such as a card, counts in each of its lines.
    if (isApart && inLink) this.#links++;
    this.visit(element, inLink || isLink);
    if (isApart) this.endLine();
  }

  #text(text: string, inLink: boolean): void {
    const part = text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text;
    this.#line += part;
    this.#chars += part.length;
    if (!inLink && /\S/.test(part)) this.#isLink = false;
  }
}

const kindOf = (isLink: boolean, words: number, links: number): OwnSentence['kind'] => {
  if (!isLink) return 'text';
  return words < links * MENU_WORDS ? 'menu' : 'link';
};

function isOmitted(element: Element, bodyWords: number): boolean {
  const { tag, flags, hints, attributes } = element;
  if ((flags & (Flag.notRendered | Flag.excluded)) !== 0 || SKIPPED_TAGS.has(tag)) return true;
  const role = attributes['role'];
  if (role !== undefined && SKIPPED_ROLES.has(role)) return true;
  if (element.words === 0) return true;
  if (tag === 'header') return !isInside(element, SECTIONS) && linkDensity(element) > CHROME_LINKS;
  // A box with most of the words is the page, whatever its name.
  if (element.words > bodyWords / 2) return false;
  return (hints & (Hint.chrome | Hint.footer | Hint.consent)) !== 0 && linkDensity(element) > CHROME_LINKS;
}
