import { type Element, isElement } from '@tidemark/page-reader/source';
import { type MarkupPage, UNREAD_TAGS } from './markup-tree.ts';
import { COMMENTS, NOISE_RULES } from './noise-rules.ts';

/** Something a noise rule left out of the comparison. */
interface Noise {
  readonly rule: string;
  readonly text: string;
}

interface NodeBase {
  /** Equal ids mean equal subtrees after noise is removed. */
  readonly contentId: number;
  /** Equal ids mean equal subtrees including noise. */
  readonly exactId: number;
  /** Number of nodes in the subtree. */
  readonly size: number;
  readonly section: string;
}

export interface ComparedText extends NodeBase {
  readonly text: string;
  /** Text before normalisation. */
  readonly rawText: string;
  readonly noise: readonly Noise[];
}

export interface ComparedElement extends NodeBase {
  readonly source: Element;
  readonly tag: string;
  /** Sorted by name. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly ComparedNode[];
  readonly noise: readonly Noise[];
}

export type ComparedNode = ComparedElement | ComparedText;

export const isComparedElement = (node: ComparedNode): node is ComparedElement => 'tag' in node;

/** Assigns equal numbers to equal descriptions, so that subtrees of any size are compared in constant time. */
export class SubtreeIds {
  readonly #numbers = new Map<string, number>();

  of(description: string): number {
    const known = this.#numbers.get(description);
    if (known !== undefined) return known;
    this.#numbers.set(description, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

/** Returns a page in canonical form without noise. Both readings must share `ids`. */
export function comparedTree(page: MarkupPage, ids: SubtreeIds): ComparedElement {
  return new TreeReader(page, ids).element(page.root);
}

/** Attributes with case-insensitive keyword values. */
const KEYWORD_ATTRIBUTES = new Set([
  'type',
  'method',
  'rel',
  'dir',
  'align',
  'valign',
  'target',
  'enctype',
  'charset',
  'loading',
  'media',
]);
const SECTIONING = new Set(['main', 'nav', 'aside', 'header', 'footer', 'body']);
const HEADING = /^h[1-6]$/;
const SECTION_CHARS = 120;

/** Collapses white space, including zero-width characters. */
const collapse = (text: string): string =>
  text
    .replace(/[\0\u200b-\u200d\ufeff]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();

class TreeReader {
  readonly #ids: SubtreeIds;
  readonly #comments: MarkupPage['comments'];
  #section = '';

  constructor({ comments }: MarkupPage, ids: SubtreeIds) {
    this.#ids = ids;
    this.#comments = comments;
  }

  element(source: Element): ComparedElement {
    const section = this.#section;
    const comments = this.#comments?.get(source) ?? [];
    const noise: Noise[] = comments.map((raw) => ({ rule: COMMENTS, text: collapse(raw) }));
    const attributes = canonicalAttributes(source, noise);
    const children = this.#children(source, noise);
    // A landmark resets the section of what follows it; a heading sets it.
    if (SECTIONING.has(source.tag)) this.#section = section;
    if (HEADING.test(source.tag)) this.#section = headingText(children).slice(0, SECTION_CHARS) || this.#section;
    const own = `${source.tag}\u0001${[...attributes].map((pair) => pair.join('\u0002')).join('\u0001')}`;
    const contentId = this.#ids.of(`${own}\u0003${children.map((child) => child.contentId).join()}`);
    const exactId = this.#exactId(contentId, noise, children);
    const size = children.reduce((sum, child) => sum + child.size, 1);
    return { source, tag: source.tag, attributes, children, noise, contentId, exactId, size, section };
  }

  #children(source: Element, noise: Noise[]): ComparedNode[] {
    const children: ComparedNode[] = [];
    let run = '';
    const endRun = (): void => {
      const raw = collapse(run);
      run = '';
      if (raw !== '') children.push(this.#text(raw, source));
    };
    for (const child of source.children) {
      if (!isElement(child)) {
        run += child;
        continue;
      }
      const rule = NOISE_RULES.find((candidate) => candidate.drops?.(child));
      if (rule === undefined) {
        endRun();
        children.push(this.element(child));
      } else noise.push({ rule: rule.name, text: openingTag(child) });
    }
    endRun();
    return children;
  }

  #text(raw: string, parent: Element): ComparedText {
    const noise: Noise[] = [];
    let text = raw;
    for (const rule of NOISE_RULES) {
      const normalized = rule.text?.(text, parent) ?? text;
      if (normalized !== text) noise.push({ rule: rule.name, text });
      text = normalized;
    }
    const contentId = this.#ids.of(`\u0004${text}`);
    return {
      text,
      rawText: raw,
      noise,
      contentId,
      exactId: this.#exactId(contentId, noise, []),
      size: 1,
      section: this.#section,
    };
  }

  #exactId(contentId: number, noise: readonly Noise[], children: readonly ComparedNode[]): number {
    // Most nodes have no noise, so both ids are equal.
    if (noise.length === 0 && children.every((child) => child.exactId === child.contentId)) return contentId;
    const noiseKey = noise.map(({ rule, text }) => `${rule}\u0002${text}`).join('\u0001');
    return this.#ids.of(`\u0005${contentId}\u0003${noiseKey}\u0003${children.map((child) => child.exactId).join()}`);
  }
}

function canonicalAttributes(source: Element, noise: Noise[]): Map<string, string> {
  const attributes: [string, string][] = [];
  for (const [name, raw] of Object.entries(source.attributes)) {
    let value: string | undefined = raw;
    for (const rule of NOISE_RULES) {
      if (rule.attribute === undefined || value === undefined) continue;
      const normalized: string | undefined = rule.attribute(name, value, source);
      if (normalized !== value) noise.push({ rule: rule.name, text: `${name}=${value}` });
      value = normalized;
    }
    if (value !== undefined) attributes.push([name, canonicalValue(name, value)]);
  }
  noise.sort((a, b) => (`${a.rule} ${a.text}` < `${b.rule} ${b.text}` ? -1 : 1));
  return new Map(attributes.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Normalises white space, class order, keyword case and boolean attributes such as `checked`. */
function canonicalValue(name: string, value: string): string {
  if (name === 'class') return [...new Set(value.split(/\s+/).filter(Boolean))].sort().join(' ');
  if (name === 'style')
    return collapse(value)
      .replace(/ ?([:;,]) ?/g, '$1')
      .replace(/;$/, '');
  if (value.toLowerCase() === name) return '';
  const collapsed = collapse(value);
  return KEYWORD_ATTRIBUTES.has(name) ? collapsed.toLowerCase() : collapsed;
}

function headingText(children: readonly ComparedNode[]): string {
  const words = (node: ComparedNode): string =>
    isComparedElement(node) ? (UNREAD_TAGS.has(node.tag) ? '' : node.children.map(words).join(' ')) : node.rawText;
  return collapse(children.map(words).join(' '));
}

/** Returns an element's opening tag with its attributes as in the page. */
export function openingTag(element: Element): string {
  const attributes = Object.entries(element.attributes).map(([name, value]) =>
    value === '' ? ` ${name}` : ` ${name}="${value}"`,
  );
  return `<${element.tag}${attributes.join('')}>`;
}
