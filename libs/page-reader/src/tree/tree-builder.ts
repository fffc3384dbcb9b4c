import { HtmlScanner, type TokenSink } from './html-scanner.ts';
import { closeImplied } from './implied-ends.ts';
import { type Namespace, OpenElements } from './open-elements.ts';
import { isBlankText, mergeAttributes, noscriptMarkup, type PageParts, withoutNul } from './page-parts.ts';
import { type Attributes, Element, NO_ATTRIBUTES } from './page-tree.ts';
import { acceptsInSelect, closesInSelect } from './select-content.ts';
import { enterTablePart, fosterChild, isMisplaced, isOutsideCells, leaveTablePart } from './table-placement.ts';
import { BUTTON_SCOPE, ruleOf, SCOPE, type TagRule } from './tag-rules.ts';
import { DEPTH_CAP } from './thresholds.ts';

const ruleFor = (tag: string): TagRule => ruleOf(tag, 0);
const HTML = ruleFor('html');
const HEAD = ruleFor('head');
const BODY = ruleFor('body');
const BR = ruleFor('br');
const P = ruleFor('p');
const IMG = ruleFor('img');
const TABLE = ruleFor('table');
const TEMPLATE = ruleFor('template');
const FORM = ruleFor('form');

/** Start tags that a frameset accepts. */
const FRAMESET_CONTENT = new Set(['frameset', 'frame', 'noframes']);
/** Elements that a table keeps in place. */
const IN_PLACE = new Set(['script', 'style', 'template']);
/**
 * Builds the tree after https://html.spec.whatwg.org/multipage/parsing.html#tree-construction as browsers that run scripts
 * do, without reconstructing misnested formatting, which changes no text.
 */
export class TreeBuilder implements TokenSink {
  readonly #root: Element;
  readonly #head: Element;
  readonly #body: Element;
  readonly #parts: PageParts;
  readonly #open = new OpenElements();
  #inHead = true;
  #form = false;
  #mayBeFrameset = true;
  #isFrameset = false;
  readonly noscript: ((markup: string) => void) | undefined;
  readonly comment: ((text: string) => void) | undefined;

  /** Builds a page, or, with one element for all three, the content of that element. */
  constructor(root: Element, head: Element, body: Element, parts: PageParts) {
    this.#root = root;
    this.#head = head;
    this.#body = body;
    this.#parts = parts;
    if (head !== body) this.noscript = (markup) => this.#noscript(markup);
    const { comments } = parts;
    if (comments !== undefined) this.comment = (text) => this.#comment(comments, text);
  }

  /** The current node. */
  get #top(): Element {
    return this.#open.top ?? (this.#inHead ? this.#head : this.#body);
  }

  get isForeign(): boolean {
    return this.#open.isForeign;
  }

  get allowsCdata(): boolean {
    return this.#open.namespace !== 'html';
  }

  /** True if no state of the page calls for a special case: the usual state. */
  get #isInBody(): boolean {
    return !this.#inHead && !this.#mayBeFrameset && !this.#isFrameset && this.#open.isInBody;
  }

  get #isRaw(): boolean {
    return this.isForeign || (this.#open.topRule?.contentModel ?? 'normal') !== 'normal';
  }

  text(read: string): void {
    const text = this.#parts.hasNul ? withoutNul(read, this.#isRaw) : read;
    const isBlank = (this.#inHead || this.#mayBeFrameset || this.#open.topRule?.isTableBox) && isBlankText(text);
    if (this.#inHead && this.#open.size === 0) {
      if (isBlank) return;
      this.#leaveHead();
    }
    if (this.#isFrameset && this.#open.topRule?.name !== 'noframes') return;
    if (this.#mayBeFrameset && !isBlank && !this.#inHead && !this.#isRaw) this.#mayBeFrameset = false;
    if (!isBlank && this.#open.topRule?.isTableBox) this.#textInTable(text);
    else appendText(this.#top.children, text);
  }

  /** Adds a text that stands between the cells of a table: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-intabletext */
  #textInTable(text: string): void {
    if (this.#open.topRule?.tableRole === 'columns') this.#open.pop();
    if (isMisplaced(this.#open)) fosterChild(this.#open, text);
    else appendText(this.#top.children, text);
  }

  open(opened: TagRule, given: Attributes | undefined, selfClosed: boolean): void {
    const rule = this.#ruleFor(opened);
    const attributes = given ?? NO_ATTRIBUTES;
    if (rule.isOrdinary && this.#isInBody) return void this.#openInBody(rule, attributes);
    if (this.isForeign) {
      if (!rule.breaksOutOfForeign) return void this.#openForeign(rule, attributes, selfClosed);
      this.#open.popForeign();
    }
    if (rule === HTML) mergeAttributes(this.#root, attributes);
    if (rule === HTML || rule === HEAD) return;
    if (rule === BODY) return void this.#openBody(attributes);
    if (this.#inHead && this.#open.size === 0 && !rule.belongsInHead) this.#leaveHead();
    if (!this.#accepts(rule)) return;
    if (rule.isForeign) return void this.#openForeign(rule, attributes, selfClosed);
    this.#openInBody(rule, attributes);
  }

  /** The tag `image` is read as `img`. */
  #ruleFor(opened: TagRule): TagRule {
    return opened.name === 'image' && this.#open.namespace === 'html' ? IMG : opened;
  }

  close(rule: TagRule): void {
    const open = this.#open;
    if (rule.isOrdinary && rule !== P && rule !== BR && this.#isInBody) return void this.#closeInBody(rule);
    if (rule === HEAD) {
      if (open.size === 0) this.#leaveHead();
      return;
    }
    if (open.namespace !== 'html' && this.#closeInForeign(rule)) return;
    if (rule === BR) return void this.open(BR, undefined, false);
    if (this.#inHead && open.size === 0) return;
    if (!closesInSelect(open, rule)) return;
    if (open.topRule?.tableRole === 'columns' && rule.tableRole === undefined) open.pop();
    this.#closeInHtml(rule);
  }

  /** Closes a foreign element. Returns false for an end tag that is read as HTML. */
  #closeInForeign(rule: TagRule): boolean {
    if (rule !== BR && rule !== P) return this.#open.closeForeign(rule.name);
    this.#open.popForeign();
    return false;
  }

  #closeInHtml(rule: TagRule): void {
    const open = this.#open;
    if (rule === P) {
      if (!open.closeInScope('p', BUTTON_SCOPE)) this.#insert(P, NO_ATTRIBUTES);
    } else if (rule === FORM) this.#closeForm();
    else if (rule.tableRole !== undefined && open.isOpen(rule)) leaveTablePart(open, rule);
    else if (rule.tableRole === undefined) this.#closeInBody(rule);
  }

  #closeInBody(rule: TagRule): void {
    const open = this.#open;
    if (rule.isHeading) open.closeHeading(SCOPE);
    else if (!open.isOpen(rule)) return;
    else if (open.topRule === rule) open.pop();
    else if (rule.closesInScope) open.closeInScope(rule.name, rule.boundary);
    else open.closeOrdinary(rule.name);
  }

  #openInBody(rule: TagRule, attributes: Attributes): void {
    if (this.#parts.elements >= this.#parts.maxElements) return;
    if (rule.endsOthers) closeImplied(this.#open, rule);
    const element = this.#insert(rule, attributes);
    // In a table a form contains nothing: its rows follow it.
    if (!rule.isVoid && !(rule === FORM && isOutsideCells(this.#open))) this.#push(element, rule, 'html');
  }

  #comment(comments: Map<Element, string[]>, text: string): void {
    const before = comments.get(this.#top);
    if (before === undefined) comments.set(this.#top, [text]);
    else before.push(text);
  }

  #noscript(markup: string): void {
    const element = this.#top;
    if (element.tag !== 'noscript') return;
    const content = new TreeBuilder(element, element, element, this.#parts);
    if (!this.#inHead) content.#leaveHead();
    new HtmlScanner(noscriptMarkup(markup), content, this.#parts.keepsAllAttributes).scan();
  }

  #openBody(attributes: Attributes): void {
    if (this.#isFrameset) return;
    this.#leaveHead();
    this.#mayBeFrameset = false;
    mergeAttributes(this.#body, attributes);
  }

  #openForeign(rule: TagRule, attributes: Attributes, selfClosed: boolean): void {
    if (this.#parts.elements >= this.#parts.maxElements) return;
    const namespace = this.#open.namespaceOf(rule);
    const element = this.#insert(rule, attributes);
    if (!selfClosed) this.#push(element, rule, namespace);
  }

  /** Returns false for a start tag that is ignored, and closes what the tag closes in a select or table. */
  #accepts(rule: TagRule): boolean {
    if (rule.name === 'frameset' || this.#isFrameset) return this.#acceptsFrame(rule);
    if (rule.name === 'frame') return false;
    if (rule.rulesOutFrameset && !this.#inHead) this.#mayBeFrameset = false;
    const isRead = acceptsInSelect(this.#open, rule);
    if (!isRead) return false;
    if (rule === FORM && this.#form && !this.#open.isOpen(TEMPLATE)) return false;
    if (rule === FORM) this.#form = true;
    const isPart = rule.tableRole !== undefined && rule !== TABLE && rule !== TEMPLATE;
    if (isPart) return this.#acceptsTablePart(rule);
    while (rule === TABLE && isOutsideCells(this.#open)) this.#open.popTo(this.#open.tableAt());
    if (this.#open.topRule?.tableRole === 'columns' && rule !== TEMPLATE) this.#open.pop();
    return true;
  }

  #acceptsTablePart(rule: TagRule): boolean {
    const isAccepted = enterTablePart(this.#open, rule, (implied) => {
      this.#push(this.#insert(implied, NO_ATTRIBUTES), implied, 'html');
    });
    return isAccepted;
  }

  /** A frameset replaces a body without content: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inframeset */
  #acceptsFrame(rule: TagRule): boolean {
    if (this.#isFrameset) return FRAMESET_CONTENT.has(rule.name);
    if (!this.#mayBeFrameset) return false;
    this.#open.popTo(0);
    this.#body.children.length = 0;
    this.#isFrameset = true;
    return true;
  }

  #closeForm(): void {
    if (this.#form) this.#open.removeForm(SCOPE);
    this.#form = false;
  }

  #insert(rule: TagRule, attributes: Attributes): Element {
    const parts = this.#parts;
    parts.elements++;
    const element = this.#place(rule, attributes);
    if (rule.indexedAs !== undefined && (rule.belongsInHead || !this.#inHead))
      parts.indexed[rule.indexedAs].push(element);
    if (attributes === NO_ATTRIBUTES || this.#inHead) return element;
    if (attributes['itemprop'] !== undefined) parts.indexed.microdata.push(element);
    if (attributes['typeof'] !== undefined) parts.indexed.typed.push(element);
    return element;
  }

  #place(rule: TagRule, attributes: Attributes): Element {
    const open = this.#open;
    if (isMisplaced(open) && rule.tableRole === undefined && !IN_PLACE.has(rule.name) && rule !== FORM) {
      const fostered = new Element(rule.name, attributes, open.fosterParent);
      fosterChild(open, fostered);
      return fostered;
    }
    const parent = open.size >= DEPTH_CAP ? (open.at(DEPTH_CAP - 1) ?? this.#top) : this.#top;
    const element = new Element(rule.name, attributes, parent);
    parent.children.push(element);
    return element;
  }

  #push(element: Element, rule: TagRule, namespace: Namespace): void {
    this.#open.push(element, rule, namespace);
  }

  #leaveHead(): void {
    if (!this.#inHead) return;
    this.#inHead = false;
    this.#open.popTo(0);
  }
}

function appendText(siblings: (Element | string)[], text: string): void {
  const last = siblings.length - 1;
  const before = siblings[last];
  if (typeof before === 'string') siblings[last] = before + text;
  else siblings.push(text);
}
