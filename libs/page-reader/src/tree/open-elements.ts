import type { Element } from './page-tree.ts';
import { ruleOf, type TagRule } from './tag-rules.ts';
import { ANCESTOR_CAP } from './thresholds.ts';

const SELECT_ID = ruleOf('select', 0).id;
const HTML_ENCODING = /^(?:text\/html|application\/xhtml\+xml)$/i;

/** Namespaces of open elements: https://html.spec.whatwg.org/multipage/parsing.html#tree-construction-dispatcher */
export type Namespace = 'html' | 'svg' | 'math';

/** The stack of open elements: https://html.spec.whatwg.org/multipage/parsing.html#the-stack-of-open-elements */
export class OpenElements {
  readonly #elements: Element[] = [];
  readonly #rules: TagRule[] = [];
  readonly #namespaces: Namespace[] = [];
  /** Open elements per tag, by `TagRule.id`. */
  readonly #counts: number[] = [];
  /** Positions of the open tables, their parts, cells and templates. They decide how a table's tags are read. */
  readonly #contexts: number[] = [];
  #foreign = 0;
  top: Element | undefined;
  topRule: TagRule | undefined;

  /** True if start and end tags are read by the rules of the body: not in a select, svg or math, nor between table parts. */
  get isInBody(): boolean {
    return this.#foreign === 0 && !this.isOpenId(SELECT_ID) && !this.topRule?.isTableBox;
  }

  get size(): number {
    return this.#elements.length;
  }

  /** Returns the innermost table, table part, cell or template. */
  get context(): TagRule | undefined {
    const at = this.#contexts[this.#contexts.length - 1];
    return at === undefined ? undefined : this.#rules[at];
  }

  /** Namespace of the top element. */
  get namespace(): Namespace {
    return this.#foreign === 0 ? 'html' : (this.#namespaces[this.#namespaces.length - 1] ?? 'html');
  }

  /** True if tags are read by the rules of svg and math. */
  get isForeign(): boolean {
    return this.#foreign > 0 && this.namespace !== 'html' && !this.isIntegrationPoint();
  }

  /** Returns the namespace of an element that is inserted now. */
  namespaceOf({ name }: TagRule): Namespace {
    const isNested = this.isForeign && !(name === 'svg' && this.topRule?.name === 'annotation-xml');
    return isNested || (name !== 'svg' && name !== 'math') ? this.namespace : name;
  }

  at(index: number): Element | undefined {
    return this.#elements[index];
  }

  isOpen(rule: TagRule): boolean {
    return this.isOpenId(rule.id);
  }

  /** The same by `TagRule.id`. */
  isOpenId(id: number): boolean {
    return (this.#counts[id] ?? 0) > 0;
  }

  /** The parent of the innermost open table. */
  get fosterParent(): Element | undefined {
    return this.at(this.tableAt())?.parent;
  }

  push(element: Element, rule: TagRule, namespace: Namespace): void {
    if (rule.tableRole !== undefined && namespace === 'html') this.#contexts.push(this.#elements.length);
    this.#elements.push(element);
    this.#rules.push(rule);
    this.top = element;
    this.topRule = rule;
    this.#namespaces.push(namespace);
    this.#counts[rule.id] = (this.#counts[rule.id] ?? 0) + 1;
    if (namespace !== 'html') this.#foreign++;
  }

  pop(): void {
    const rule = this.#rules.pop();
    if (!rule) return;
    this.#elements.pop();
    this.top = this.#elements[this.#elements.length - 1];
    this.topRule = this.#rules[this.#rules.length - 1];
    this.#counts[rule.id] = (this.#counts[rule.id] ?? 1) - 1;
    if (this.#namespaces.pop() !== 'html') this.#foreign--;
    if (this.#contexts[this.#contexts.length - 1] === this.#rules.length) this.#contexts.pop();
  }

  popTo(size: number): void {
    while (this.#rules.length > size) this.pop();
  }

  /** Pops the elements above the innermost table, table part, cell or template. */
  popToContext(): void {
    this.popTo((this.#contexts[this.#contexts.length - 1] ?? -1) + 1);
  }

  /** Pops svg and math elements up to HTML content. */
  popForeign(): void {
    while (this.isForeign) this.pop();
  }

  /** True if the top element is foreign and contains HTML, such as foreignObject. */
  isIntegrationPoint(): boolean {
    const rule = this.topRule;
    if (this.#foreign === 0 || rule === undefined || rule.integrates !== this.namespace) return false;
    return rule.name !== 'annotation-xml' || HTML_ENCODING.test(this.top?.attributes['encoding'] ?? '');
  }

  /** Closes the nearest open element of the tag, with all elements above it, unless a barrier is met first. */
  closeInScope(tag: string, barriers: ReadonlySet<string>): boolean {
    const at = this.#find(tag, barriers);
    if (at !== -1) this.popTo(at);
    return at !== -1;
  }

  /** Closes the nearest open heading of any level. */
  closeHeading(barriers: ReadonlySet<string>): void {
    for (let i = this.#rules.length - 1; i >= this.#lowest(); i--) {
      const open = this.#rules[i];
      if (!open || this.#bounds(i, barriers)) return;
      if (open.isHeading) return void this.popTo(i);
    }
  }

  /** Closes an element without barriers of its own, through elements that are not special. */
  closeOrdinary(tag: string): void {
    for (let i = this.#rules.length - 1; i >= this.#lowest(); i--) {
      const open = this.#rules[i];
      if (!open) return;
      if (open.name === tag) return void this.popTo(i);
      if (open.isSpecial && !this.#isPlain(i, open)) return;
    }
  }

  /** Closes an element by its end tag inside svg or math. Returns false if the tag closes an HTML element. */
  closeForeign(tag: string): boolean {
    for (let i = this.#rules.length - 1; i >= 0 && this.#namespaces[i] !== 'html'; i--) {
      if (this.#rules[i]?.name !== tag) continue;
      this.popTo(i);
      return true;
    }
    return false;
  }

  /** Removes the nearest open form and leaves the elements inside it open, as the standard does. */
  removeForm(barriers: ReadonlySet<string>): void {
    const at = this.#find('form', barriers);
    const rule = this.#rules[at];
    if (rule === undefined) return;
    while (this.topRule?.hasImpliedEnd && this.#rules.length - 1 > at) this.pop();
    if (at === this.#rules.length - 1) return void this.pop();
    this.#elements.splice(at, 1);
    this.#rules.splice(at, 1);
    this.#namespaces.splice(at, 1);
    this.#counts[rule.id] = (this.#counts[rule.id] ?? 1) - 1;
    // Tables bound the search for the form, so that none is above it.
  }

  /** Returns the position of the innermost open table, or -1. */
  tableAt(): number {
    for (let i = this.#contexts.length - 1; i >= 0; i--) {
      const at = this.#contexts[i] ?? 0;
      if (this.#rules[at]?.name === 'table') return at;
    }
    return -1;
  }

  #bounds(at: number, barriers: ReadonlySet<string>): boolean {
    const rule = this.#rules[at];
    return rule !== undefined && barriers.has(rule.name) && !this.#isPlain(at, rule);
  }

  /** True for an element of another namespace than its name implies, such as an HTML desc or an svg select. */
  #isPlain(at: number, rule: TagRule): boolean {
    return (rule.integrates ?? 'html') !== this.#namespaces[at];
  }

  #lowest(): number {
    return Math.max(0, this.#rules.length - ANCESTOR_CAP);
  }

  #find(tag: string, barriers: ReadonlySet<string>): number {
    for (let i = this.#rules.length - 1; i >= this.#lowest(); i--) {
      const open = this.#rules[i]?.name ?? '';
      if (open === tag && this.#namespaces[i] === 'html') return i;
      if (this.#bounds(i, barriers)) return -1;
    }
    return -1;
  }
}
