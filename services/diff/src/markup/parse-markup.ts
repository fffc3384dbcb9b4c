import { Parser } from 'htmlparser2';
import { MarkupElement, type MarkupPage } from './markup-tree.ts';

/** Above either limit a page is not compared and reported as too_large. */
export const MAX_NODES = 50_000;
export const MAX_CHARS = 20_000_000;
/** Deeper elements become children of the last allowed one, as in browsers, so that recursion is bounded. */
const MAX_DEPTH = 400;

/** The page exceeds the limits of the parser. */
export class TooLarge extends Error {
  constructor() {
    super(`page exceeds ${MAX_NODES} nodes`);
    this.name = 'TooLarge';
  }
}

const HEAD_TAGS = new Set(['title', 'meta', 'link', 'script', 'style', 'base', 'noscript', 'template']);
const FRAME_TAGS = new Set(['html', 'head', 'body']);

/**
 * Parses markup into a tree. Lower-cases names and resolves entities; changes nothing else.
 * @throws TooLarge
 */
export function parseMarkup(html: string): MarkupPage {
  if (html.length > MAX_CHARS) throw new TooLarge();
  const builder = new TreeBuilder();
  const parser = new Parser({
    onopentagname: () => builder.begin(),
    onattribute: (name, value) => builder.attribute(name, value),
    onopentag: (name) => builder.open(name),
    onclosetag: (name) => builder.close(name),
    ontext: (text) => builder.text(text),
    oncomment: (comment) => builder.comment(comment),
  });
  parser.end(html);
  return builder.page();
}

class TreeBuilder {
  readonly #root = new MarkupElement('html', new Map(), undefined);
  readonly #head = new MarkupElement('head', new Map(), this.#root);
  readonly #body = new MarkupElement('body', new Map(), this.#root);
  readonly #open: MarkupElement[] = [];
  #attributes = new Map<string, string>();
  #isInBody = false;
  #nodes = 3;

  constructor() {
    this.#root.children.push(this.#head, this.#body);
  }

  page(): MarkupPage {
    return { root: this.#root, head: this.#head, body: this.#body, nodes: this.#nodes };
  }

  begin(): void {
    this.#attributes = new Map();
  }

  attribute(name: string, value: string): void {
    if (!this.#attributes.has(name)) this.#attributes.set(name, value);
  }

  open(tag: string): void {
    if (FRAME_TAGS.has(tag)) {
      this.#openFrame(tag);
      return;
    }
    if (this.#open.length === 0 && !HEAD_TAGS.has(tag)) this.#isInBody = true;
    this.#count();
    const parent = this.#parent();
    const element = new MarkupElement(tag, this.#attributes, parent);
    parent.children.push(element);
    this.#open.push(element);
  }

  /** Merges repeated `html`, `head` and `body` tags; the first value of an attribute wins. */
  #openFrame(tag: string): void {
    const frame = tag === 'html' ? this.#root : tag === 'head' ? this.#head : this.#body;
    if (tag === 'body') this.#isInBody = true;
    for (const [name, value] of this.#attributes) if (!frame.attributes.has(name)) frame.attributes.set(name, value);
  }

  close(tag: string): void {
    if (this.#open.at(-1)?.tag === tag) this.#open.pop();
  }

  text(text: string): void {
    if (this.#open.length === 0 && !this.#isInBody) {
      if (text.trim() === '') return;
      this.#isInBody = true;
    }
    const { children } = this.#parent();
    const last = children.at(-1);
    if (typeof last === 'string') {
      children[children.length - 1] = last + text;
      return;
    }
    this.#count();
    children.push(text);
  }

  comment(text: string): void {
    this.#parent().comments.push(text);
  }

  #parent(): MarkupElement {
    return this.#open[Math.min(this.#open.length, MAX_DEPTH) - 1] ?? (this.#isInBody ? this.#body : this.#head);
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw new TooLarge();
  }
}
