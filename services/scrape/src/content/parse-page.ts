import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { type Attributes, Element, type Page } from './tree.ts';
import { boundaryOf, closesBefore, isSpecial, isVoid, KEPT_ATTRIBUTES, leavesForeign } from './tree-rules.ts';

/** Browsers stop nesting at 512 and make deeper elements siblings; so every later walk may recurse. */
const DEPTH_CAP = 512;
/** Beyond this many elements tags are ignored and only their text is kept. */
const ELEMENT_CAP = 1_000_000;
/** How far up an end tag looks for its start tag, so that stray end tags stay cheap on deep pages. */
const LOOK_UP_CAP = 600;
const NO_ATTRIBUTES: Attributes = {};

/**
 * Parses a page once into the tree every reader shares. Accepts anything, in time linear in its length. Attributes no
 * reader looks at are left out, unless selectors may ask for them.
 */
export function parsePage(html: string, everyAttribute = false): Page {
  const source = withoutCdata(html);
  const builder = new TreeBuilder(source, everyAttribute);
  const tokenizer = new Tokenizer({ decodeEntities: true }, builder);
  tokenizer.write(source);
  tokenizer.end();
  return { root: builder.root, head: builder.head, body: builder.body, elements: builder.elements };
}

/**
 * In HTML a CDATA mark is only a bogus comment; the tokenizer would skip to its end, which may be the end of the page.
 * https://html.spec.whatwg.org/multipage/parsing.html#markup-declaration-open-state
 */
const withoutCdata = (html: string): string => (html.includes('<![CDATA[') ? html.replaceAll('<![CDATA[', '') : html);

/**
 * Tree construction after https://html.spec.whatwg.org/multipage/parsing.html#tree-construction, without foster
 * parenting and without rebuilding misnested formatting: an inline end tag never closes a block.
 */
class TreeBuilder implements TokenizerCallbacks {
  readonly root = new Element('html', {}, undefined);
  readonly head = new Element('head', {}, this.root);
  readonly body = new Element('body', {}, this.root);
  elements = 0;
  readonly #html: string;
  readonly #everyAttribute: boolean;
  readonly #stack: Element[] = [];
  readonly #open = new Map<string, number>();
  #top: Element = this.head;
  #inHead = true;
  #foreign = 0;
  #tag = '';
  #attributes: Record<string, string> | undefined;
  #name = '';
  #value = '';

  constructor(html: string, everyAttribute: boolean) {
    this.#html = html;
    this.#everyAttribute = everyAttribute;
    this.root.children.push(this.head, this.body);
  }

  ontext(start: number, end: number): void {
    this.#addText(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#addText(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#html.slice(start, end).toLowerCase();
    this.#attributes = undefined;
  }

  onattribname(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    this.#name = this.#everyAttribute || KEPT_ATTRIBUTES.has(name) ? name : '';
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#name !== '') this.#value += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.#name !== '') this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.#name === '') return;
    this.#attributes ??= {};
    // The first of two equal attributes wins: https://html.spec.whatwg.org/multipage/parsing.html#attribute-name-state
    this.#attributes[this.#name] ??= this.#value;
    this.#name = '';
  }

  onopentagend(): void {
    this.#start(false);
  }

  onselfclosingtag(): void {
    this.#start(this.#foreign > 0 || this.#tag === 'svg' || this.#tag === 'math');
  }

  onclosetag(start: number, end: number): void {
    const tag = this.#html.slice(start, end).toLowerCase();
    if (tag === 'head') this.#leaveHead();
    else if (tag === 'br') this.#insert('br', NO_ATTRIBUTES);
    else if ((this.#open.get(tag) ?? 0) > 0) this.#closeNearest(tag);
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  isInForeignContext(): boolean {
    return this.#foreign > 0;
  }

  #addText(text: string): void {
    if (this.#inHead && this.#stack.length === 0) {
      if (text.trim() === '') return;
      this.#leaveHead();
    }
    const siblings = this.#top.children;
    const last = siblings.length - 1;
    const before = siblings[last];
    if (typeof before === 'string') siblings[last] = before + text;
    else siblings.push(text);
  }

  #start(selfClosed: boolean): void {
    const tag = this.#tag === 'image' && this.#foreign === 0 ? 'img' : this.#tag;
    const attributes = this.#attributes ?? NO_ATTRIBUTES;
    if (tag === 'html') return void this.#adopt(this.root, attributes);
    if (tag === 'head') return;
    if (tag === 'body') {
      this.#leaveHead();
      return void this.#adopt(this.body, attributes);
    }
    if (this.elements >= ELEMENT_CAP) return;
    if (this.#foreign > 0 && leavesForeign(tag)) this.#closeForeign();
    if (this.#inHead && this.#stack.length === 0 && !HEAD_TAGS.has(tag)) this.#leaveHead();
    if (this.#foreign === 0) this.#closeImplied(tag);
    const element = this.#insert(tag, attributes);
    if (selfClosed || isVoid(tag)) return;
    this.#push(element);
  }

  /** Attributes of a repeated html or body tag are added to the element there is. */
  #adopt(element: Element, attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (element.attributes[name] === undefined) Object.assign(element.attributes, { [name]: value });
    }
  }

  #insert(tag: string, attributes: Attributes): Element {
    this.elements++;
    const parent = this.#stack.length >= DEPTH_CAP ? (this.#stack[DEPTH_CAP - 1] ?? this.#top) : this.#top;
    const element = new Element(tag, attributes, parent);
    parent.children.push(element);
    return element;
  }

  #push(element: Element): void {
    this.#stack.push(element);
    this.#top = element;
    this.#open.set(element.tag, (this.#open.get(element.tag) ?? 0) + 1);
    if (element.tag === 'svg' || element.tag === 'math') this.#foreign++;
  }

  #pop(): void {
    const element = this.#stack.pop();
    if (!element) return;
    this.#open.set(element.tag, (this.#open.get(element.tag) ?? 1) - 1);
    if (element.tag === 'svg' || element.tag === 'math') this.#foreign--;
    this.#top = this.#stack[this.#stack.length - 1] ?? (this.#inHead ? this.head : this.body);
  }

  #leaveHead(): void {
    if (!this.#inHead) return;
    this.#inHead = false;
    while (this.#stack.length > 0) this.#pop();
    this.#top = this.body;
  }

  #popTo(index: number): void {
    while (this.#stack.length > index) this.#pop();
  }

  #closeForeign(): void {
    while (this.#foreign > 0) this.#pop();
  }

  #closeImplied(tag: string): void {
    for (const rule of closesBefore(tag)) {
      if ((this.#open.get(rule.closes) ?? 0) > 0) this.#closeUpTo(rule.closes, rule.stops);
    }
  }

  #closeUpTo(tag: string, stops: ReadonlySet<string>): void {
    const lowest = Math.max(0, this.#stack.length - LOOK_UP_CAP);
    for (let i = this.#stack.length - 1; i >= lowest; i--) {
      const open = this.#stack[i]?.tag ?? '';
      if (open === tag) this.#popTo(i);
      if (open === tag || stops.has(open)) return;
    }
  }

  #closeNearest(tag: string): void {
    const boundary = boundaryOf(tag);
    const inline = !isSpecial(tag);
    const lowest = Math.max(0, this.#stack.length - LOOK_UP_CAP);
    for (let i = this.#stack.length - 1; i >= lowest; i--) {
      const open = this.#stack[i]?.tag ?? '';
      if (open === tag) this.#popTo(i);
      if (open === tag || boundary.has(open) || (inline && isSpecial(open))) return;
    }
  }
}

const HEAD_TAGS = new Set(['title', 'meta', 'link', 'base', 'script', 'style', 'noscript', 'template', 'basefont']);
