import { Landmark } from '@tidemark/contracts/page/v1/blocks';
import { Hint } from '../tree/name-hints.ts';
import { type Element, Flag, isInside, linkDensity, type Page, walk } from '../tree/page-tree.ts';
import {
  ASIDE_DENSITY,
  ASIDE_SHARE,
  CALLOUT_DENSITY,
  CHROME_DENSITY,
  CHROME_WORDS,
  FILTERED_SHARE,
  FILTERED_WORDS,
  HEADER_DENSITY,
  HEADER_SHARE,
  MAIN_MIN_SHARE,
  MAIN_MIN_WORDS,
  MOST_OF_PAGE,
  NAMED_SHARE,
  PLAINLY_NAMED_SHARE,
  SHOWN_DENSITY,
  TITLE_DENSITY,
} from './thresholds.ts';

const PLAIN_NAME =
  /(?:^|\s)(?:(?:site|page|global|main)[-_]?)?(?:footer|side-?bar|nav|nav-?bar|navigation|menu)(?=$|\s)/i;

const TAGS = new Map<string, Landmark>([
  ['main', Landmark.LANDMARK_MAIN],
  ['header', Landmark.LANDMARK_HEADER],
  ['nav', Landmark.LANDMARK_NAV],
  ['aside', Landmark.LANDMARK_ASIDE],
  ['footer', Landmark.LANDMARK_FOOTER],
]);
const ROLES = new Map<string, Landmark>([
  ['main', Landmark.LANDMARK_MAIN],
  ['banner', Landmark.LANDMARK_HEADER],
  ['navigation', Landmark.LANDMARK_NAV],
  ['menubar', Landmark.LANDMARK_NAV],
  ['complementary', Landmark.LANDMARK_ASIDE],
  ['contentinfo', Landmark.LANDMARK_FOOTER],
]);
/** Parts of the page's frame. */
const FRAME: ReadonlySet<Landmark> = new Set([
  Landmark.LANDMARK_HEADER,
  Landmark.LANDMARK_NAV,
  Landmark.LANDMARK_ASIDE,
  Landmark.LANDMARK_FOOTER,
]);

/** Content, whatever its name. */
const NEVER_BY_NAME = new Set(
  'html body article h1 h2 h3 h4 h5 h6 p pre code table tbody tr td th figure blockquote'.split(' '),
);
const NAMED = Hint.chrome | Hint.aside | Hint.header | Hint.footer | Hint.consent | Hint.advert;

const FILTERED = Hint.aside | Hint.consent | Hint.advert;

/** Assigns elements to landmarks: by tag and role, otherwise by the names that sites use. */
export class Landmarks {
  /** The landmark of text outside all landmarks. */
  readonly outside: Landmark;
  readonly #words: number;
  /** Ancestors of the page's titles. Many sites put the title into a header. */
  readonly #titleAncestors: ReadonlySet<Element>;
  /** Ancestors of the elements that declare the main part. */
  readonly #mainAncestors = new Set<Element>();
  /** The first element that declares the main part of a page that marks one. */
  readonly declaredMain: Element | undefined;

  readonly #dropsBoilerplate: boolean;

  /** @param dropsBoilerplate elements that the content filters mark as boilerplate are not part of the content */
  constructor(page: Page, dropsBoilerplate = false) {
    this.#dropsBoilerplate = dropsBoilerplate;
    this.#titleAncestors = titleAncestorsOf(page);
    this.#words = Math.max(page.body.words, 1);
    this.declaredMain = this.#findMain(page);
    this.outside = this.declaredMain === undefined ? Landmark.LANDMARK_MAIN : Landmark.LANDMARK_OTHER;
  }

  #findMain(page: Page): Element | undefined {
    let first: Element | undefined;
    let words = 0;
    walk(page.body, (element) => {
      if (element.words === 0 || (element.flags & Flag.notRendered) !== 0) return false;
      if (declared(element) !== Landmark.LANDMARK_MAIN) return undefined;
      words += element.words;
      first ??= element;
      for (let up = element.parent; up && !this.#mainAncestors.has(up); up = up.parent) this.#mainAncestors.add(up);
      return false;
    });
    return words >= MAIN_MIN_WORDS || words >= this.#words * MAIN_MIN_SHARE ? first : undefined;
  }

  /**
   * Returns the landmark that an element opens, or the enclosing one.
   * @param isShown the main content shows the element: a name that sites also give to parts of the content does not make it a part of
   * the page's frame, unless it is mostly links
   */
  of(element: Element, around: Landmark, isShown = false): Landmark {
    const landmark = this.#landmarkOf(element, around, isShown);
    return landmark === Landmark.LANDMARK_MAIN && this.#isDropped(element) ? Landmark.LANDMARK_ASIDE : landmark;
  }

  /**
   * True for what the content filters remove by its name: advertisements, notices, widgets. Parts that they remove by their
   * form alone may be content, such as a button with a download, and stay compared.
   */
  #isDropped({ flags, hints, words }: Element): boolean {
    if (!this.#dropsBoilerplate || (flags & Flag.boilerplate) === 0 || (hints & FILTERED) === 0) return false;
    return words <= Math.max(FILTERED_WORDS, this.#words * FILTERED_SHARE);
  }

  #landmarkOf(element: Element, around: Landmark, isShown: boolean): Landmark {
    const landmark = declared(element);
    if (landmark === Landmark.LANDMARK_ASIDE && isShown && isNoteByForm(element)) return around;
    if (landmark !== undefined) return this.#isAccepted(element, landmark, around) ? landmark : around;
    if ((element.hints & NAMED) === 0 || NEVER_BY_NAME.has(element.tag)) return around;
    if (this.#mainAncestors.has(element) || this.#holdsTitle(element)) return around;
    if (isShown && !isFrameByName(element)) return around;
    if (around === this.outside) return this.#byName(element) ?? around;
    return around === Landmark.LANDMARK_MAIN && this.#isAsideInMain(element) ? Landmark.LANDMARK_ASIDE : around;
  }

  /** True for an element inside the page's frame, which is not most of the page. */
  isInFrame(element: Element): boolean {
    if (element.words > this.#words * MOST_OF_PAGE) return false;
    const path: Element[] = [];
    for (let up: Element | undefined = element; up?.parent; up = up.parent) path.unshift(up);
    let around = this.outside;
    for (const each of path) around = this.of(each, around);
    return FRAME.has(around);
  }

  #isAccepted(element: Element, landmark: Landmark, around: Landmark): boolean {
    if (landmark === Landmark.LANDMARK_MAIN) return this.outside === Landmark.LANDMARK_OTHER;
    // A header inside navigation belongs to the navigation.
    if (around !== this.outside && around !== Landmark.LANDMARK_MAIN) return false;
    // Headers and footers of articles belong to them: https://www.w3.org/TR/html-aam-1.0/#el-footer
    if (landmark === Landmark.LANDMARK_FOOTER) return !isInside(element, FOOTER_OWNERS);
    if (landmark === Landmark.LANDMARK_HEADER) return !isInside(element, HEADER_OWNERS) && !this.#holdsTitle(element);
    return (
      landmark !== Landmark.LANDMARK_ASIDE ||
      (element.hints & Hint.mayCallout) === 0 ||
      linkDensity(element) > CALLOUT_DENSITY
    );
  }

  /** True for lists of other pages inside the main element: related, most read, sharing. */
  #isAsideInMain(element: Element): boolean {
    const { hints, words } = element;
    if ((hints & (Hint.aside | Hint.chrome)) === 0 || (hints & Hint.content) !== 0 || this.#titleAncestors.has(element))
      return false;
    return words <= this.#words * ASIDE_SHARE && linkDensity(element) > ASIDE_DENSITY;
  }

  #holdsTitle(element: Element): boolean {
    return this.#titleAncestors.has(element) && linkDensity(element) <= TITLE_DENSITY;
  }

  #byName(element: Element): Landmark | undefined {
    const { hints } = element;
    const share = element.words / this.#words;
    const most = hasPlainName(element) ? PLAINLY_NAMED_SHARE : NAMED_SHARE;
    if (share > most || (hints & Hint.content) !== 0 || isInside(element, ARTICLE)) return undefined;
    const density = linkDensity(element);
    if ((hints & Hint.footer) !== 0) return Landmark.LANDMARK_FOOTER;
    if ((hints & Hint.chrome) !== 0 && (density > CHROME_DENSITY || element.words < CHROME_WORDS))
      return Landmark.LANDMARK_NAV;
    if ((hints & (Hint.aside | Hint.consent | Hint.advert)) !== 0) return Landmark.LANDMARK_ASIDE;
    if ((hints & Hint.header) === 0 || this.#holdsTitle(element)) return undefined;
    const isHeader = density > HEADER_DENSITY || share < HEADER_SHARE || element.attributes['id'] === 'header';
    return isHeader ? Landmark.LANDMARK_HEADER : undefined;
  }
}

const ARTICLE = new Set(['article']);
const FOOTER_OWNERS = new Set('article blockquote figure li section td'.split(' '));
const HEADER_OWNERS = new Set('article main section'.split(' '));

/** True for a name that only parts of the frame have, and for a named list of links. */
const isFrameByName = (element: Element): boolean =>
  linkDensity(element) > SHOWN_DENSITY || hasPlainName(element) || element.attributes['id'] === 'header';

/** True for a part of the frame by its tag, its role, or a name that only parts of the frame have. */
export const isDeclaredFrame = (element: Element): boolean => {
  const landmark = declared(element);
  return landmark === undefined ? hasPlainName(element) : landmark !== Landmark.LANDMARK_MAIN;
};

/** True for an aside with prose and without a name of the frame: a note, a definition, a quotation of the text. */
const isNoteByForm = (element: Element): boolean =>
  (element.hints & NAMED) === 0 && linkDensity(element) <= SHOWN_DENSITY;

const hasPlainName = ({ attributes }: Element): boolean =>
  PLAIN_NAME.test(attributes['id'] ?? '') || PLAIN_NAME.test((attributes['class'] ?? '').slice(0, 200));

function declared({ tag, attributes }: Element): Landmark | undefined {
  const { role } = attributes;
  if (role === undefined) return TAGS.get(tag);
  return (
    ROLES.get(role.trim().toLowerCase()) ?? (role === 'presentation' || role === 'none' ? undefined : TAGS.get(tag))
  );
}

function titleAncestorsOf(page: Page): ReadonlySet<Element> {
  const around = new Set<Element>();
  for (const { words, parent } of page.indexed.headings) {
    if (words <= 1) continue;
    for (let up = parent; up && !around.has(up); up = up.parent) around.add(up);
  }
  return around;
}
