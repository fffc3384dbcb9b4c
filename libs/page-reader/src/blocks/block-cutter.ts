import { BlockKind, Landmark, type PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { Landmarks } from '../landmarks/landmarks.ts';
import type { UrlResolver } from '../links/url-resolver.ts';
import { isCode } from '../output/code-text.ts';
import { formulaOf } from '../output/formula.ts';
import { gapAround, leavesGap, presentationOf } from '../output/presentation.ts';
import { type Element, Flag, isBlock, isElement, type Page } from '../tree/page-tree.ts';
import { BlockList } from './block-list.ts';
import { normalizeText } from './normalize-text.ts';
import { annotationBlock, controlBlock, imageBlock, mediaBlock, type ReplacedBlock } from './replaced-elements.ts';
import { TextLinks } from './text-links.ts';

const UNSEEN = Flag.notRendered | Flag.excluded;
/** What text and markdown are written from. */
export interface ShownContent {
  /** Elements of the page, or made from its data. */
  readonly roots: ReadonlySet<Element>;
  /** Elements with any of these flags are omitted. */
  readonly skip: number;
  /** The same for text, which omits more. */
  readonly textSkip: number;
  /** The roots are the main content, whatever landmark they are in. */
  readonly isMain: boolean;
}

/** Elements whose blocks are treated separately. */
export interface CutScope {
  /** All that it contains is cut. */
  readonly shown: ShownContent;
  /** The elements to cut; undefined: the whole page. */
  readonly within: ReadonlySet<Element> | undefined;
  /** Elements with volatile content. */
  readonly volatile: ReadonlySet<Element>;
  /** Elements marked as boilerplate are omitted from the content, as in the markdown of the main content. */
  readonly dropsBoilerplate: boolean;
}

/** Properties that blocks below an element share. */
interface Context {
  readonly landmark: Landmark;
  readonly kind: BlockKind;
  /** Level of the enclosing heading, 1 to 6; 0: none. */
  readonly level: number;
  readonly isRequested: boolean;
  readonly isVolatile: boolean;
  /** Text and markdown contain it. */
  readonly isShown: boolean;
  /** It stands inside what text and markdown are written from. They may omit it there. */
  readonly isInContent: boolean;
}

/** A block of its own found inside a text, and whether it is volatile itself. */
interface PendingBlock {
  readonly block: ReplacedBlock;
  readonly isVolatile: boolean;
  /** It is a frame or player alone in the body, where scripts add what lies over the page. */
  readonly isAtTop: boolean;
}

const KINDS = new Map<string, BlockKind>([
  ['li', BlockKind.BLOCK_KIND_ITEM],
  ['dt', BlockKind.BLOCK_KIND_ITEM],
  ['dd', BlockKind.BLOCK_KIND_ITEM],
  ['tr', BlockKind.BLOCK_KIND_ROW],
  ['pre', BlockKind.BLOCK_KIND_CODE],
  ['button', BlockKind.BLOCK_KIND_CONTROL],
  ['textarea', BlockKind.BLOCK_KIND_CONTROL],
]);
const WIDGETS: ReadonlySet<BlockKind> = new Set([BlockKind.BLOCK_KIND_MEDIA, BlockKind.BLOCK_KIND_CONTROL]);
const CELLS = new Set(['td', 'th']);

/** Walks a page once and cuts its texts into blocks. A block ends where a block-level element starts or ends. */
export class BlockCutter {
  readonly #page: Page;
  readonly #urls: UrlResolver;
  readonly #links: TextLinks;
  readonly #scope: CutScope;
  readonly #landmarks: Landmarks;
  /** Ancestors of what is shown or requested. */
  readonly #opened: ReadonlySet<Element>;
  readonly #list = new BlockList();
  /** Text, links and embedded blocks since the last block. */
  #text = '';
  #pending: PendingBlock[] = [];
  /** True after a line break. A second one ends the paragraph. */
  #isBroken = false;

  constructor(page: Page, urls: UrlResolver, scope: CutScope) {
    this.#page = page;
    this.#urls = urls;
    this.#links = new TextLinks(urls);
    this.#scope = scope;
    this.#landmarks = new Landmarks(page, scope.dropsBoilerplate);
    this.#opened = ancestorsOf([...scope.shown.roots, ...(scope.within ?? [])]);
  }

  cut(): Pick<PageBlocks, 'blocks' | 'sections' | 'anchors'> {
    const { outside } = this.#landmarks;
    const start = {
      landmark: outside,
      kind: BlockKind.BLOCK_KIND_PARAGRAPH,
      level: 0,
      isRequested: this.#scope.within === undefined,
      isVolatile: false,
      isShown: false,
      isInContent: false,
    };
    this.#container(this.#page.body, start);
    for (const root of this.#scope.shown.roots)
      if (isMadeOfData(root)) this.#list.withHeadingScope(true, () => this.#container(root, start));
    const { blocks, sections, anchors } = this.#list;
    return { blocks, sections, anchors };
  }

  #container(element: Element, around: Context): void {
    const context = this.#contextOf(element, around);
    const opens = context.landmark !== around.landmark;
    if (opens)
      this.#list.withHeadingScope(context.landmark !== Landmark.LANDMARK_MAIN, () => this.#fill(element, context));
    else this.#fill(element, context);
  }

  #fill(element: Element, context: Context): void {
    if (element.tag === 'a') this.#links.open(element, this.#text.length);
    if (element.tag === 'tr' && context.kind === BlockKind.BLOCK_KIND_ROW && this.#isOneLine(element, context))
      this.#row(element, context);
    else this.#inside(element, element, context);
    this.#flush(element, context);
    this.#links.clear();
  }

  #contextOf(element: Element, around: Context): Context {
    const { within, volatile } = this.#scope;
    const isRequested = around.isRequested || (within?.has(element) ?? false);
    const isVolatile = around.isVolatile || volatile.has(element);
    const isShown = this.#isShown(element, around);
    const isInContent = around.isInContent || this.#scope.shown.roots.has(element);
    const isInCode = around.kind === BlockKind.BLOCK_KIND_CODE && !this.#isRoot(element, around);
    const level = isInCode ? 0 : HEADINGS.indexOf(element.tag) + 1;
    const kind = level > 0 ? BlockKind.BLOCK_KIND_HEADING : this.#kindOf(element, around);
    const landmark = this.#placeOf(kind, this.#landmarkOf(element, around, isShown), isInContent);
    const isSamePlace = landmark === around.landmark && kind === around.kind && level === 0;
    const isSameScope = isRequested === around.isRequested && isVolatile === around.isVolatile;
    const isSameContent = isShown === around.isShown && isInContent === around.isInContent;
    if (isSamePlace && isSameScope && isSameContent) return around;
    return { landmark, kind, level: level || around.level, isRequested, isVolatile, isShown, isInContent };
  }

  /** Frames, players and controls beside the main content are not content: bars of editors and site builders, widgets, tools of testers. */
  #placeOf(kind: BlockKind, landmark: Landmark, isInContent: boolean): Landmark {
    const isWidget = this.#scope.shown.isMain && !isInContent && WIDGETS.has(kind);
    return isWidget && landmark === Landmark.LANDMARK_MAIN ? Landmark.LANDMARK_OTHER : landmark;
  }

  #kindOf(element: Element, around: Context): BlockKind {
    if (around.kind !== BlockKind.BLOCK_KIND_CODE) return KINDS.get(element.tag) ?? around.kind;
    // A requested part of code is written without the rest of it.
    return this.#isRoot(element, around) ? (KINDS.get(element.tag) ?? BlockKind.BLOCK_KIND_PARAGRAPH) : around.kind;
  }

  #isShown(element: Element, { isShown, kind }: Context): boolean {
    const { roots, skip } = this.#scope.shown;
    // Code is shown as a whole: highlighters use names of boilerplate.
    if (isShown && kind === BlockKind.BLOCK_KIND_CODE) return true;
    return (element.flags & skip) === 0 && (isShown || roots.has(element));
  }

  #landmarkOf(element: Element, { landmark }: Context, isShown: boolean): Landmark {
    const { within, shown } = this.#scope;
    // Requested elements are content, wherever they stand.
    if (within) return Landmark.LANDMARK_MAIN;
    if (isShown && shown.isMain) return Landmark.LANDMARK_MAIN;
    return this.#landmarks.of(element, landmark);
  }

  /** Reads the children of an element. Texts belong to the block-level element `of`. */
  #inside(element: Element, of: Element, context: Context): void {
    for (const child of element.children) {
      if (this.#list.isFull) return;
      if (typeof child === 'string') this.#takeText(child, of, context);
      else this.#element(child, of, context);
    }
  }

  #element(child: Element, of: Element, context: Context): void {
    if (context.kind === BlockKind.BLOCK_KIND_CODE && !this.#isRoot(child, context)) {
      this.#code(child, of, context);
      return;
    }
    const gap = this.#isLeftOut(child, context) ? ' ' : '';
    this.#text += gap;
    this.#present(child, of, context);
    this.#text += gap;
  }

  #present(child: Element, of: Element, context: Context): void {
    // What contains the content is not replaced as a whole: a page in a button, or in a box with the attributes of a formula.
    if (this.#opened.has(child) && (child.flags & UNSEEN) === 0 && !this.#isShown(child, context)) {
      this.#content(child, of, context);
      return;
    }
    switch (presentationOf(child, UNSEEN)) {
      case 'omitted':
        if ((child.flags & UNSEEN) === Flag.notRendered) this.#addPending(mediaBlock(child, this.#urls), child);
        break;
      case 'formula':
        this.#formula(child, of, context);
        break;
      case 'annotation':
        this.#addPending(annotationBlock(child, context.kind), child);
        break;
      case 'break':
        this.#break(of, context);
        break;
      case 'image':
        this.#addPending(imageBlock(child, this.#urls, this.#links.current), child);
        break;
      case 'control':
        this.#control(child, of, context);
        break;
      default:
        this.#content(child, of, context);
    }
  }

  #formula(child: Element, of: Element, context: Context): void {
    if (gapAround(child) === '' && !this.#isNamed(child, context)) {
      this.#text += formulaOf(child) ?? '';
      return;
    }
    this.#flush(of, context);
    this.#text = formulaOf(child) ?? '';
    this.#flush(child, this.#contextOf(child, context));
  }

  /** Inside code, elements are no formulas and controls. */
  #code(child: Element, of: Element, context: Context): void {
    if ((child.flags & UNSEEN) !== 0) return;
    if (child.tag === 'br') this.#break(of, context);
    else if (child.tag === 'img') this.#addPending(imageBlock(child, this.#urls, this.#links.current), child);
    else if (isCode(child) || this.#opened.has(child)) this.#content(child, of, context);
  }

  #content(child: Element, of: Element, context: Context): void {
    if (this.#isCollapsed(child, context)) return;
    if (this.#isSeparate(child, context)) {
      this.#flush(of, context);
      this.#container(child, context);
    } else this.#inline(child, of, context);
  }

  /** A control separates the texts around it. */
  #control(child: Element, of: Element, context: Context): void {
    if (child.tag === 'input') this.#addPending(controlBlock(child), child);
    this.#text += ' ';
    if (child.tag === 'input') return;
    this.#content(child, of, context);
    this.#text += ' ';
  }

  #inline(child: Element, of: Element, context: Context): void {
    if ((child.flags & Flag.apart) !== 0 && context.kind !== BlockKind.BLOCK_KIND_CODE) this.#text += ' ';
    const link = child.tag === 'a' ? this.#links.open(child, this.#text.length) : undefined;
    this.#inside(child, of, context);
    if (link !== undefined) link.to = this.#text.length;
  }

  /**
   * True for parts that are hidden until opened and that the content does not contain: menus, slides, dialogs. An `aria-hidden`
   * inline element is visible, and so is a page behind a dialog.
   */
  #isCollapsed(element: Element, context: Context): boolean {
    const { tag, attributes, flags, words } = element;
    if (attributes['aria-hidden'] !== 'true' || words * 2 > this.#page.body.words) return false;
    if (!isBlock(tag) && (flags & Flag.hasBlock) === 0) return false;
    return !this.#isShown(element, context) && !this.#opened.has(element);
  }

  #isSeparate(child: Element, context: Context): boolean {
    if (gapAround(child) !== '') return true;
    // What text omits may be a part of the page's frame.
    if ((child.flags & Flag.hasBlock) !== 0 && this.#isLeftOut(child, context)) return true;
    return (child.tag === 'button' && this.#isBlank) || this.#isNamed(child, context);
  }

  /** True for an element that text omits, which leaves a gap there. It omits no part of code. */
  #isLeftOut(child: Element, { kind }: Context): boolean {
    return kind !== BlockKind.BLOCK_KIND_CODE && leavesGap(child, this.#scope.shown.textSkip);
  }

  /** True for an outermost element that text and markdown are written from. */
  #isRoot(element: Element, { isShown }: Context): boolean {
    return !isShown && this.#scope.shown.roots.has(element);
  }

  #isNamed(element: Element, around: Context): boolean {
    return this.#scope.volatile.has(element) || this.#isRoot(element, around);
  }

  /** True if every cell of the row is a single line without blocks of its own. */
  #isOneLine(row: Element, context: Context): boolean {
    for (const cell of row.children) {
      if (typeof cell === 'string') continue;
      if (!CELLS.has(cell.tag) || (cell.flags & Flag.hasBlock) !== 0 || this.#isNamed(cell, context)) return false;
      if (presentationOf(cell, UNSEEN) === 'formula') return false;
    }
    return true;
  }

  #row(row: Element, context: Context): void {
    for (const cell of row.children.filter(isElement)) {
      if ((cell.flags & UNSEEN) !== 0) continue;
      if (!this.#isBlank) this.#text += cell.words > 0 ? ' | ' : ' ';
      this.#inside(cell, row, context);
    }
  }

  #takeText(text: string, of: Element, context: Context): void {
    if (context.kind !== BlockKind.BLOCK_KIND_CODE) {
      this.#text += text;
      if (this.#isBroken && /\S/.test(text)) this.#isBroken = false;
      return;
    }
    const [first = '', ...paragraphs] = text.split(/\n[^\S\n]*\n\s*/);
    this.#text += first;
    for (const paragraph of paragraphs) {
      this.#flush(of, context);
      this.#text = paragraph;
    }
  }

  /** Two line breaks end a paragraph, in pages without paragraph elements. */
  #break(of: Element, context: Context): void {
    if (this.#isBroken) this.#flush(of, context);
    else this.#text += ' ';
    this.#isBroken = !this.#isBroken;
  }

  get #isBlank(): boolean {
    return this.#text === '' || !/\S/.test(this.#text);
  }

  #addPending(block: ReplacedBlock | undefined, element: Element): void {
    if (block === undefined) return;
    const isVolatile = this.#scope.volatile.has(element);
    this.#pending.push({ block, isVolatile, isAtTop: this.#isAtTop(element) });
  }

  #isAtTop(element: Element): boolean {
    if (element.tag === 'img' || element.tag === 'input') return false;
    let box = element;
    while (box.parent !== undefined && box.parent !== this.#page.body && box.parent.words === 0) box = box.parent;
    return box.parent === this.#page.body;
  }

  /** Ends the block: adds its text, then the embedded blocks. Links whose text follows later are kept for it. */
  #flush(element: Element, context: Context): void {
    const { landmark, kind, level, isRequested, isVolatile, isInContent } = context;
    const raw = this.#text;
    const text = raw === '' ? '' : normalizeText(raw);
    this.#text = '';
    this.#isBroken = false;
    if (text !== '') {
      const links = this.#links.of(raw, text);
      if (isRequested) this.#list.add({ text, kind, landmark, element, level, ...links, isVolatile });
      this.#links.clear();
    }
    if (this.#pending.length === 0) return;
    for (const { block, isVolatile: isNamed, isAtTop } of isRequested ? this.#pending : [])
      this.#list.add({
        ...block,
        landmark: this.#placeOf(block.kind, landmark, isInContent && !isAtTop),
        level,
        isVolatile: isVolatile || isNamed,
      });
    this.#pending = [];
  }
}

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** Returns the ancestors of the outermost of the elements. */
function ancestorsOf(elements: readonly Element[]): ReadonlySet<Element> {
  const all = new Set(elements);
  const ancestors = new Set<Element>();
  for (const element of elements) {
    if (isInsideAny(element, all)) continue;
    for (let up = element.parent; up && !ancestors.has(up); up = up.parent) ancestors.add(up);
  }
  return ancestors;
}

function isInsideAny(element: Element, all: ReadonlySet<Element>): boolean {
  for (let up = element.parent; up; up = up.parent) if (all.has(up)) return true;
  return false;
}

/** True for content that the page holds as data instead of markup: it is in no element of the page. */
const isMadeOfData = (root: Element): boolean => root.parent !== undefined && !root.parent.children.includes(root);
