import { HtmlScanner, type TokenSink } from './html-scanner.ts';
import { type Attributes, Element, type IndexedElements, NO_ATTRIBUTES, type Page } from './page-tree.ts';
import { ruleOf, type TagRule } from './tag-rules.ts';

/** Browsers stop nesting at 512 levels and make deeper elements siblings. Later walks may therefore recurse. */
const DEPTH_CAP = 512;
/** Beyond this many elements, tags are ignored and only text is kept. */
const ELEMENT_CAP = 1_000_000;
/** Open elements searched for the start tag of an end tag. Bounds the cost of stray end tags on deep pages. */
const ANCESTOR_CAP = 600;
const [HTML, HEAD, BODY, BR, IMAGE, IMG] = ['html', 'head', 'body', 'br', 'image', 'img'].map((tag) => ruleOf(tag));

/**
 * Parses a page once into the tree that all later steps share. Accepts any input, in time linear in its length. Keeps
 * only the attributes that later steps read, unless `keepsAllAttributes` is set for selectors.
 */
export function parsePage(html: string, keepsAllAttributes = false): Page {
  const builder = new TreeBuilder();
  new HtmlScanner(html, builder, keepsAllAttributes).scan();
  const { root, head, body, elements, indexed } = builder;
  return { root, head, body, elements, indexed };
}

/**
 * Builds the tree after https://html.spec.whatwg.org/multipage/parsing.html#tree-construction, without foster parenting
 * and without reconstructing misnested formatting: an inline end tag never closes a block.
 */
class TreeBuilder implements TokenSink {
  readonly root = new Element('html', {}, undefined);
  readonly head = new Element('head', {}, this.root);
  readonly body = new Element('body', {}, this.root);
  readonly indexed: { [kind in keyof IndexedElements]: Element[] } = {
    metas: [],
    links: [],
    titles: [],
    scripts: [],
    headings: [],
    times: [],
    anchors: [],
    superscripts: [],
    microdata: [],
  };
  elements = 0;
  readonly #stack: Element[] = [];
  readonly #rules: TagRule[] = [];
  /** Open elements per tag, by `TagRule.id`. */
  readonly #open: number[] = [];
  #top: Element = this.head;
  #inHead = true;
  #foreign = 0;

  constructor() {
    this.root.children.push(this.head, this.body);
  }

  get isForeign(): boolean {
    return this.#foreign > 0;
  }

  close(rule: TagRule): void {
    if (rule === HEAD) this.#leaveHead();
    else if (rule === BR) this.#insert('br', NO_ATTRIBUTES);
    else if ((this.#open[rule.id] ?? 0) > 0) this.#closeNearest(rule);
  }

  text(text: string): void {
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

  open(opened: TagRule, given: Attributes | undefined, selfClosed: boolean): void {
    const rule = opened === IMAGE && IMG && this.#foreign === 0 ? IMG : opened;
    const attributes = given ?? NO_ATTRIBUTES;
    if (rule === HTML) return void this.#mergeAttributes(this.root, attributes);
    if (rule === HEAD) return;
    if (rule === BODY) {
      this.#leaveHead();
      return void this.#mergeAttributes(this.body, attributes);
    }
    if (this.elements >= ELEMENT_CAP) return;
    const closesItself = selfClosed && (this.#foreign > 0 || rule.isForeign);
    if (this.#foreign > 0 && rule.breaksOutOfForeign) this.#closeForeign();
    if (this.#inHead && this.#stack.length === 0 && !rule.belongsInHead) this.#leaveHead();
    if (this.#foreign === 0) this.#closeImplied(rule);
    const element = this.#insert(rule.name, attributes);
    if (rule.indexedAs !== undefined && (rule.belongsInHead || !this.#inHead))
      this.indexed[rule.indexedAs].push(element);
    if (given?.['itemprop'] !== undefined && !this.#inHead) this.indexed.microdata.push(element);
    if (!closesItself && !rule.isVoid) this.#push(element, rule);
  }

  /** Adds the attributes of a repeated html or body tag to the existing element. */
  #mergeAttributes(element: Element, attributes: Attributes): void {
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

  #push(element: Element, rule: TagRule): void {
    this.#stack.push(element);
    this.#rules.push(rule);
    this.#top = element;
    this.#open[rule.id] = (this.#open[rule.id] ?? 0) + 1;
    if (rule.isForeign) this.#foreign++;
  }

  #pop(): void {
    const rule = this.#rules.pop();
    if (!rule) return;
    this.#stack.pop();
    this.#open[rule.id] = (this.#open[rule.id] ?? 1) - 1;
    if (rule.isForeign) this.#foreign--;
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

  #closeImplied({ closes }: TagRule): void {
    for (const rule of closes) if ((this.#open[rule.id] ?? 0) > 0) this.#closeUpTo(rule.closes, rule.barriers);
  }

  #closeUpTo(tag: string, barriers: ReadonlySet<string>): void {
    const lowest = Math.max(0, this.#rules.length - ANCESTOR_CAP);
    for (let i = this.#rules.length - 1; i >= lowest; i--) {
      const open = this.#rules[i]?.name ?? '';
      if (open === tag) this.#popTo(i);
      if (open === tag || barriers.has(open)) return;
    }
  }

  #closeNearest({ name, boundary, isSpecial }: TagRule): void {
    const lowest = Math.max(0, this.#rules.length - ANCESTOR_CAP);
    for (let i = this.#rules.length - 1; i >= lowest; i--) {
      const open = this.#rules[i];
      if (!open) return;
      if (open.name === name) this.#popTo(i);
      if (open.name === name || boundary.has(open.name) || (!isSpecial && open.isSpecial)) return;
    }
  }
}
