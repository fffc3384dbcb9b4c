import { type Block, BlockKind, type Landmark } from '@tidemark/contracts/page/v1/blocks';
import type { Element } from '../tree/page-tree.ts';
import { BlockAnchors } from './block-anchors.ts';
import { hashesOf } from './block-hash.ts';
import { maskOf } from './block-mask.ts';
import {
  BLOCK_CHARS_CAP,
  BLOCK_LIST_LINKS_CAP,
  BLOCK_LIST_TEXT_CHARS_CAP,
  BLOCKS_CAP,
  SECTION_CHARS_CAP,
  SECTIONS_CAP,
  WORD_CHARS_CAP,
} from './thresholds.ts';

/** One block before it is numbered and hashed. */
export interface FoundBlock {
  readonly text: string;
  readonly kind: BlockKind;
  readonly landmark: Landmark;
  /** The element that contains it. */
  readonly element: Element;
  /** Level of the heading, 1 to 6. */
  readonly level: number;
  /** Owned by the list from now on, not copied. */
  readonly links: string[];
  /** Text of each link; empty: the text of the block. */
  readonly linkTexts?: string[];
  /** Hashed instead of the text and the links if the URL contains volatile parts: an image's name. */
  readonly comparedAs?: { readonly text: string; readonly links: readonly string[] } | undefined;
  readonly isVolatile: boolean;
}

interface Heading {
  readonly level: number;
  readonly section: number;
}

/** Collects the blocks of one page in reading order, with the headings above them. */
export class BlockList {
  readonly blocks: Block[] = [];
  readonly sections: string[] = [];
  readonly #anchors = new BlockAnchors();
  readonly #sectionNumbers = new Map<string, number>();
  #trail: Heading[] = [];
  #chars = 0;
  #links = 0;

  get anchors(): string[] {
    return this.#anchors.paths;
  }

  get isFull(): boolean {
    return this.blocks.length >= BLOCKS_CAP || this.#chars >= BLOCK_LIST_TEXT_CHARS_CAP;
  }

  /**
   * Runs `read` in a scope of headings: headings inside do not apply outside. With `startsEmpty`, outer headings do not
   * apply inside.
   */
  withHeadingScope(startsEmpty: boolean, read: () => void): void {
    const before = this.#trail;
    this.#trail = startsEmpty ? [] : [...before];
    read();
    this.#trail = before;
  }

  add(found: FoundBlock): void {
    if (found.text.length <= BLOCK_CHARS_CAP) this.#addOne(found);
    else
      for (const [at, text] of piecesOf(found.text).entries())
        this.#addOne({ ...found, text, links: at === 0 ? found.links : [], linkTexts: found.linkTexts ?? [] });
  }

  #addOne(found: FoundBlock): void {
    if (this.isFull) return;
    const { text, kind, landmark, isVolatile, linkTexts = [] } = found;
    if (kind !== BlockKind.BLOCK_KIND_CODE && !VISIBLE.test(text)) return;
    const linksLeft = BLOCK_LIST_LINKS_CAP - this.#links;
    const links = found.links.length > linksLeft ? found.links.slice(0, linksLeft) : found.links;
    this.#chars += text.length;
    this.#links += links.length;
    const isHeading = kind === BlockKind.BLOCK_KIND_HEADING;
    while (isHeading && (this.#trail.at(-1)?.level ?? 0) >= found.level) this.#trail.pop();
    const section = this.#trail.at(-1)?.section ?? 0;
    const anchor = this.#anchors.numberOf(found.element);
    const { text: hashed, links: hashedLinks } = found.comparedAs ?? { text, links };
    const { hash, textHash } = hashesOf(hashed, hashedLinks);
    this.blocks.push({
      hash,
      textHash,
      text,
      mask: maskOf(text),
      landmark,
      kind,
      section,
      anchor,
      links,
      linkTexts: linkTexts.some((linkText) => linkText !== '') ? linkTexts.slice(0, links.length) : [],
      isVolatile: isVolatile ? true : undefined,
    });
    if (isHeading) this.#trail.push({ level: found.level, section: this.#sectionOf(text) });
  }

  #sectionOf(text: string): number {
    const name = text.slice(0, SECTION_CHARS_CAP);
    const known = this.#sectionNumbers.get(name);
    if (known !== undefined || this.sections.length >= SECTIONS_CAP) return known ?? 0;
    this.sections.push(name);
    this.#sectionNumbers.set(name, this.sections.length);
    return this.sections.length;
  }
}

/** A letter, a digit or a symbol. Bullets, bars and other punctuation alone are no content. */
const VISIBLE = /[\p{L}\p{N}\p{Sc}\p{So}\p{Emoji_Presentation}]/u;

/** Splits a long text, at the end of a sentence if possible. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > BLOCK_CHARS_CAP) {
    const piece = text.slice(from, from + BLOCK_CHARS_CAP);
    const sentence = Math.max(piece.lastIndexOf('. '), piece.lastIndexOf('。'));
    const cut = sentence > BLOCK_CHARS_CAP / 2 ? sentence : piece.lastIndexOf(' ');
    const length = cut > 0 ? cut + 1 : wordLength(text.slice(from, from + WORD_CHARS_CAP));
    pieces.push(text.slice(from, from + length).trim());
    from += length;
  }
  pieces.push(text.slice(from).trim());
  return pieces.filter((piece) => piece !== '');
}

/** Length of the word that a text starts with. A word is not split, unless it is longer than the text; a surrogate pair never. */
function wordLength(text: string): number {
  const end = text.indexOf(' ');
  if (end >= 0) return end + 1;
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}
