import { hashOf, randomOf, shareOf } from '../shared/random.ts';
import type { SiteOptions } from './options.ts';
import { SPECIAL_KINDS, SPECIALS, type SpecialKind } from './special-kinds.ts';
import { slugOf } from './words.ts';

export const SECTIONS = ['docs', 'blog', 'products', 'news', 'help', 'research', 'guides', 'events'] as const;
const MOST_LEVELS = 8;
/** In-scope links of a page, about; the related pages fill up to it. */
const LINKS = 33;
/** Share of tree pages that no sitemap lists. */
const UNLISTED = 0.05;
const COPIES = 0.03;
const FIRST_REDIRECTS = [301, 302, 307, 308] as const;

/** A page of the tree: reachable from the home page by plain links. */
export interface TreePage {
  readonly kind: 'page';
  readonly path: string;
  readonly id: number;
}

/** Another URL of a tree page, with a canonical link to it. */
export interface CopyPage {
  readonly kind: 'copy';
  readonly path: string;
  readonly id: number;
}

export interface SpecialPage {
  readonly kind: SpecialKind;
  readonly path: string;
  /** Its number among the pages of its kind. */
  readonly no: number;
  /** The tree page that links to it. */
  readonly referrer: number;
}

export type PlannedPage = TreePage | CopyPage | SpecialPage;

/** Tree pages that a page links to, by place. */
export interface TreeLinks {
  readonly parent: number | undefined;
  readonly children: readonly number[];
  readonly siblings: readonly number[];
  readonly related: readonly number[];
}

/** Returns the first id of each level and, as the last entry, the number of pages of the tree. */
function levelStarts(pages: number): number[] {
  const levels = Math.max(2, Math.min(MOST_LEVELS, Math.floor(Math.log2(pages / SECTIONS.length))));
  const sizesAt = (factor: number): number[] =>
    Array.from({ length: levels }, (_, at) => Math.max(1, Math.round(SECTIONS.length * factor ** at)));
  let [least, most] = [1, pages];
  for (let step = 0; step < 60; step += 1) {
    const factor = (least + most) / 2;
    const sum = sizesAt(factor).reduce((total, size) => total + size, 1);
    if (sum > pages) most = factor;
    else least = factor;
  }
  const starts = [0, 1];
  for (const size of sizesAt(least)) starts.push((starts.at(-1) ?? 0) + size);
  starts[starts.length - 1] = Math.max(pages, (starts.at(-2) ?? 0) + 1);
  return starts;
}

/** The pages of a site in every generation and the links between them, without their content. */
export class SitePlan {
  readonly options: SiteOptions;
  /** Pages of the tree in the first generation; pages added later have ids from here. */
  readonly treeSize: number;
  readonly specials: readonly SpecialPage[];
  readonly #starts: readonly number[];
  readonly #addedPerStep: number;
  readonly #paths: string[] = [];
  readonly #byPath = new Map<string, PlannedPage>();
  readonly #specialsOf = new Map<number, SpecialPage[]>();
  readonly #addedUnder = new Map<number, number[]>();
  #generation = 1;

  constructor(options: SiteOptions) {
    this.options = options;
    const countOf = (kind: SpecialKind): number =>
      Math.min(SPECIALS[kind].most, Math.max(SPECIALS[kind].least, Math.round(options.pages * SPECIALS[kind].share)));
    const withStatus200 = SPECIAL_KINDS.filter((kind) => SPECIALS[kind].status === 200);
    const others = withStatus200.reduce((sum, kind) => sum + countOf(kind), Math.round(options.pages * COPIES));
    this.#starts = levelStarts(Math.max(20, options.pages - others));
    this.treeSize = this.#starts.at(-1) ?? 0;
    this.#addedPerStep = Math.round(this.treeSize * options.added);
    for (let id = 0; id < this.treeSize; id += 1) this.#addTreePage(id);
    this.specials = SPECIAL_KINDS.flatMap((kind) =>
      Array.from({ length: countOf(kind) }, (_, no) => this.#specialOf(kind, no)),
    );
    for (const page of this.specials) {
      this.#byPath.set(page.path, page);
      if (SPECIALS[page.kind].reach !== 'links') continue;
      this.#specialsOf.set(page.referrer, [...(this.#specialsOf.get(page.referrer) ?? []), page]);
    }
  }

  /** Returns the page at a path in a generation. */
  find(path: string, generation: number): PlannedPage | undefined {
    this.#extendTo(generation);
    const page = this.#byPath.get(path);
    if (page === undefined || 'referrer' in page) return page;
    return this.exists(page.id, generation) ? page : undefined;
  }

  /** Returns the ids of the tree pages of a generation. */
  ids(generation: number): number[] {
    this.#extendTo(generation);
    const all = Array.from({ length: this.treeSize + (generation - 1) * this.#addedPerStep }, (_, id) => id);
    return all.filter((id) => this.exists(id, generation));
  }

  pathOf(id: number): string {
    this.#extendTo(this.addedIn(id));
    return this.#paths[id] ?? '/';
  }

  /** Returns the generation that added a page. */
  addedIn(id: number): number {
    return id < this.treeSize ? 1 : 2 + Math.floor((id - this.treeSize) / this.#addedPerStep);
  }

  exists(id: number, generation: number): boolean {
    return this.addedIn(id) <= generation && !this.#isRemoved(id, generation);
  }

  /** Returns the number of links from the home page to a page of the tree. */
  levelOf(id: number): number {
    if (id >= this.treeSize) return this.levelOf(this.#parentOfAdded(id)) + 1;
    return this.#starts.findLastIndex((start) => start <= id);
  }

  sectionOf(id: number): string {
    return this.pathOf(id).split('/')[1] ?? '';
  }

  parentOf(id: number): number | undefined {
    if (id === 0) return undefined;
    if (id >= this.treeSize) return this.#parentOfAdded(id);
    const level = this.levelOf(id);
    const share = (id - this.#start(level)) / this.#sizeOf(level);
    return this.#start(level - 1) + Math.floor(share * this.#sizeOf(level - 1) + 1e-9);
  }

  /** Returns the sections' pages, which every page links to besides the home page. */
  get hubs(): readonly number[] {
    return Array.from({ length: SECTIONS.length }, (_, at) => at + 1);
  }

  linksOf(id: number, generation: number): TreeLinks {
    this.#extendTo(generation);
    const parent = this.parentOf(id);
    const children = this.#childrenOf(id, generation);
    const family = parent === undefined ? [] : this.#childrenOf(parent, generation);
    const place = family.indexOf(id);
    const siblings = [family.at(place - 1), family[(place + 1) % family.length]].filter(
      (other): other is number => other !== undefined && other !== id,
    );
    const fixed = SECTIONS.length + 1 + siblings.length + children.length + (parent === undefined ? 0 : 1);
    const related = this.#relatedTo(id, LINKS - fixed).filter((other) => this.exists(other, generation));
    return { parent, children, siblings: [...new Set(siblings)], related };
  }

  /** Returns the special pages that a tree page links to. */
  specialsOf(id: number): readonly SpecialPage[] {
    return this.#specialsOf.get(id) ?? [];
  }

  copyOf(id: number): CopyPage | undefined {
    if (id === 0 || id >= this.#lastStart || shareOf(this.options.seed, 'copy', id) >= this.#copyShare)
      return undefined;
    return { kind: 'copy', path: `/print${this.pathOf(id)}`, id };
  }

  /** Returns where a redirect leads: to a page of the tree, to the next redirect of a chain, or in a circle. */
  targetOf({ no, referrer }: SpecialPage): { readonly status: number; readonly path: string } {
    const redirects = this.specials.filter(({ kind }) => kind === 'redirect');
    const status = FIRST_REDIRECTS[no % FIRST_REDIRECTS.length] ?? 301;
    const next = redirects[no + 1];
    if (no === 1) return { status, path: redirects[0]?.path ?? '/' };
    if (next !== undefined && (no === 0 || no % 10 === 5)) return { status, path: next.path };
    return {
      status,
      path: this.pathOf(hashOf(this.options.seed, 'target', no) % this.#start(this.levelOf(referrer) + 1)),
    };
  }

  isListed(id: number): boolean {
    return shareOf(this.options.seed, 'listed', id) >= UNLISTED;
  }

  get #lastStart(): number {
    return this.#starts.at(-2) ?? 0;
  }

  get #copyShare(): number {
    return (this.options.pages * COPIES) / Math.max(1, this.#lastStart);
  }

  #start(level: number): number {
    return this.#starts[level] ?? this.treeSize;
  }

  #sizeOf(level: number): number {
    return this.#start(level + 1) - this.#start(level);
  }

  #addTreePage(id: number): void {
    const path = this.#newPath(id);
    this.#paths[id] = path;
    this.#byPath.set(path, { kind: 'page', path, id });
    const copy = this.copyOf(id);
    if (copy !== undefined) this.#byPath.set(copy.path, copy);
  }

  #newPath(id: number): string {
    if (id === 0) return '/';
    if (id <= SECTIONS.length) return `/${SECTIONS[id - 1]}/`;
    const parent = this.#paths[this.parentOf(id) ?? 0] ?? '/';
    const folders = parent
      .split('/')
      .slice(1, 3)
      .filter((name) => name !== '');
    return `/${folders.join('/')}/${slugOf(randomOf(hashOf(this.options.seed, 'path', id)))}-${id}`;
  }

  #specialOf(kind: SpecialKind, no: number): SpecialPage {
    const { seed } = this.options;
    // Pages of the last level may be removed, so that none of them is a referrer.
    const referrer = hashOf(seed, kind, no, 'referrer') % this.#lastStart;
    const slug = slugOf(randomOf(hashOf(seed, kind, no)));
    return { kind, path: `/${SPECIALS[kind].folder}/${slug}-${no}`, no, referrer };
  }

  #parentOfAdded(id: number): number {
    return hashOf(this.options.seed, 'added', id) % this.#lastStart;
  }

  #isRemoved(id: number, generation: number): boolean {
    if (id < this.#lastStart || id >= this.treeSize) return false;
    const share = (this.options.removed * this.treeSize) / this.#sizeOf(this.#starts.length - 2);
    for (let step = 2; step <= generation; step += 1)
      if (shareOf(this.options.seed, 'removed', step, id) < share) return true;
    return false;
  }

  #childrenOf(id: number, generation: number): number[] {
    const added = (this.#addedUnder.get(id) ?? []).filter((child) => this.exists(child, generation));
    if (id >= this.#lastStart) return added;
    const level = this.levelOf(id);
    const ratio = this.#sizeOf(level + 1) / this.#sizeOf(level);
    const place = id - this.#start(level);
    const first = this.#start(level + 1) + Math.ceil(place * ratio - 1e-9);
    const end = this.#start(level + 1) + Math.ceil((place + 1) * ratio - 1e-9);
    const own = Array.from({ length: end - first }, (_, at) => first + at);
    return [...own.filter((child) => this.exists(child, generation)), ...added];
  }

  /** Returns pages at most one level below, so that the level of a page is its distance from the home page. */
  #relatedTo(id: number, count: number): number[] {
    const end = this.#start(Math.min(this.levelOf(id) + 2, this.#starts.length - 1));
    const found = new Set<number>();
    for (let draw = 0; found.size < count && draw < 4 * count; draw += 1) {
      const other = hashOf(this.options.seed, 'related', id, draw) % end;
      if (other !== id && other > SECTIONS.length) found.add(other);
    }
    return [...found];
  }

  #extendTo(generation: number): void {
    while (this.#generation < generation) {
      this.#generation += 1;
      const first = this.treeSize + (this.#generation - 2) * this.#addedPerStep;
      for (let id = first; id < first + this.#addedPerStep; id += 1) {
        this.#addTreePage(id);
        const parent = this.#parentOfAdded(id);
        this.#addedUnder.set(parent, [...(this.#addedUnder.get(parent) ?? []), id]);
      }
    }
  }
}
