import { Hint } from '../tree/name-hints.ts';
import { type Element, Flag, findFirst, isInside, linkDensity, walk } from '../tree/page-tree.ts';
import { hasIdOfText } from './heading-id.ts';
import { isOneOfMany } from './one-of-many.ts';
import { PageKind } from './page-kind.ts';
import { labelsPanel } from './panel-label.ts';
import { findShown, isHeadingTag, proseWordsOf } from './prose.ts';
import { isQuoteInText } from './quoted-post.ts';

const CHROME_TAGS = new Set([
  'nav',
  'footer',
  'aside',
  'menu',
  'button',
  'input',
  'select',
  'textarea',
  'dialog',
  'search',
  'progress',
  'meter',
]);
const CONTENT_TAGS = new Set([
  'html',
  'body',
  'main',
  'article',
  'h1',
  'pre',
  'code',
  'table',
  'tbody',
  'tr',
  'td',
  'th',
  'thead',
  'p',
  'figure',
  'blockquote',
]);
/** Of the names of overlays, those of consent notices alone. */
const CONSENT_NAME = /cookie|consent/i;
const CHROME_HINTS = Hint.consent | Hint.advert | Hint.aside | Hint.chrome | Hint.footer;

/** What is known of a page before its chrome is marked. */
export interface ChromeProfile {
  readonly kind: PageKind;
  /** The page declares that it is one article. */
  readonly isDeclared: boolean;
}

/**
 * Marks elements that belong to the site instead of the page: navigation, site headers and footers, asides, forms,
 * consent boxes. A name alone never removes a large part of the page, because wrappers have names such as "has-sidebar"
 * too.
 */
export function dropChrome(body: Element, profile: ChromeProfile): void {
  if (markChrome(body, profile, true) > body.words * CHROME_SHARE_CAP && body.words > 100) {
    // Page builders give content boxes the names of chrome. Then only tags and roles count.
    walk(body, (element) => {
      element.flags &= ~Flag.boilerplate;
      return undefined;
    });
    markChrome(body, profile, false);
  }
}

/** If names would remove more of the page than this share, they are ignored. */
const CHROME_SHARE_CAP = 0.93;

/** Boxes with doubted names that hold this many times the words of all the rest are the content. */
const DOUBTED_FACTOR = 2;

/** Marks the chrome and returns the number of words in it. */
function markChrome(body: Element, profile: ChromeProfile, byName: boolean): number {
  const total = Math.max(body.words, 1);
  let words = 0;
  const doubted: Element[] = [];
  walk(body, (element) => {
    if ((element.flags & Flag.notRendered) !== 0) return false;
    if (!isChrome(element, total, profile, byName)) return undefined;
    element.flags |= Flag.boilerplate;
    words += element.words;
    if (isDoubted(element)) doubted.push(element);
    return false;
  });
  const doubtedWords = doubted.reduce((sum, element) => sum + element.words, 0);
  if (doubtedWords <= (total - words) * DOUBTED_FACTOR) return words;
  for (const element of doubted) element.flags &= ~Flag.boilerplate;
  return words - doubtedWords;
}

function isChrome(element: Element, total: number, { kind, isDeclared }: ChromeProfile, byName: boolean): boolean {
  const { tag, hints } = element;
  const share = element.words / total;
  if (isFootnotes(element)) return false;
  if (tag === 'footer') return isPageFooter(element, share);
  if (tag === 'header') return isSiteHeader(element, share);
  if (tag === 'form') return share < 0.4 && (!holdsProse(element) || isFilledIn(element));
  if (tag === 'aside')
    return share < 0.5 && !(kind === PageKind.forum && (hints & Hint.comment) !== 0) && !isCallout(element);
  if (tag === 'menu') return linkDensity(element) > 0.5;
  if (tag === 'button' && labelsPanel(element)) {
    element.flags |= Flag.label;
    return false;
  }
  if (CHROME_TAGS.has(tag)) return share < 0.6;
  if (CONTENT_TAGS.has(tag) || !byName) return false;
  if (kind !== PageKind.forum && (hints & Hint.comment) !== 0 && share < 0.9 && (hints & Hint.content) === 0)
    return true;
  if (kind === PageKind.product && (hints & Hint.review) !== 0) return isReviews(element, share);
  if ((hints & CHROME_HINTS) === 0) return false;
  if (!isDeclared && kind !== PageKind.product && kind !== PageKind.forum && isSection(element)) return false;
  return isChromeByName(element, share) && !isOneOfMany(element, total, kind);
}

/** Reviews with a larger share are all that a page has. */
const REVIEWS_SHARE = 0.9;

const isReviews = (element: Element, share: number): boolean =>
  share < REVIEWS_SHARE && findFirst(element, (inner) => inner.tag === 'h1') === undefined;

/** Words of prose in a section of a page, at least. */
const SECTION_WORDS = 20;
/** Longer boxes are not a section: a dialog with terms, the whole sidebar. */
const SECTION_WORDS_CAP = 400;
/** Names that sections of pages have as well: overlay, banner, widget. */
const DOUBTED = Hint.consent | Hint.advert | Hint.aside;

/** Share of link text in a box of prose. */
const PROSE_LINKS = 0.2;

/** True for a box of prose that is left out by a doubted name alone. */
const isDoubted = (element: Element): boolean =>
  (element.hints & DOUBTED) !== 0 &&
  (element.hints & ~DOUBTED & (CHROME_HINTS | Hint.comment)) === 0 &&
  !CHROME_TAGS.has(element.tag) &&
  element.tag !== 'header' &&
  element.tag !== 'form' &&
  element.parent?.tag !== 'body' &&
  element.words >= SECTION_WORDS &&
  linkDensity(element) < PROSE_LINKS &&
  !isConsentByName(element);

const isConsentByName = ({ attributes: { id = '', class: className = '' } }: Element): boolean =>
  CONSENT_NAME.test(id) || CONSENT_NAME.test(className);

/**
 * True for a box with prose whose name alone is that of an overlay, advert or aside. Boxes of the body itself are laid
 * over the page, and so are those with a form.
 */
function isSection(element: Element): boolean {
  if (element.words > SECTION_WORDS_CAP || element.parent?.tag === 'body') return false;
  if ((element.hints & DOUBTED) === 0 || (element.hints & CHROME_HINTS & ~DOUBTED) !== 0) return false;
  if (linkDensity(element) > 0.4 || proseWordsOf(element) < SECTION_WORDS) return false;
  if (findFirst(element, (inner) => inner.tag === 'form' || inner.tag === 'input')) return false;
  return !isConsentByName(element);
}

function isChromeByName(element: Element, share: number): boolean {
  const { hints } = element;
  const density = linkDensity(element);
  if (isQuoteInText(element) || hasIdOfText(element)) return false;
  if (isInline(element) && (hints & (Hint.consent | Hint.advert)) === 0 && density < 1) return false;
  if ((hints & Hint.consent) !== 0 && ((hints & Hint.content) === 0 || element.words < 40))
    return share < 0.3 || CONSENT_NAME.test(element.attributes['id'] ?? '');
  if ((hints & Hint.advert) !== 0) return share < 0.2 && !(element.words > 80 && density < 0.3);
  if ((hints & Hint.chrome) !== 0) return share < 0.3 && (density > 0.4 || element.words < 30);
  if ((hints & Hint.footer) !== 0) return share < 0.25 && (hints & Hint.content) === 0;
  if ((hints & Hint.content) !== 0 && density < 0.5) return share < 0.05;
  return share < 0.35;
}

const INLINE = new Set([
  'a',
  'span',
  'b',
  'i',
  'em',
  'strong',
  'small',
  'img',
  'li',
  'label',
  'time',
  'h2',
  'h3',
  'h4',
]);
const isInline = (element: Element): boolean => INLINE.has(element.tag) && (element.flags & Flag.hasBlock) === 0;

const QUOTE_TAGS = new Set(['blockquote', 'figure', 'li']);
const SECTIONING_TAGS = new Set(['article', 'main', 'section']);

/** True for the footer of a page or article. A footer inside a quote or figure holds its source. */
function isPageFooter(element: Element, share: number): boolean {
  if (isInside(element, QUOTE_TAGS)) return element.words > 60;
  return share < 0.5 || !isInside(element, SECTIONING_TAGS);
}

/** Words of the heading in the header of an entry; the others name an author, a date, a section. */
const TITLE_SHARE = 0.5;

/** True for a header outside the content, or one that mostly holds links. */
function isSiteHeader(element: Element, share: number): boolean {
  if (share > 0.4) return false;
  if (isInside(element, SECTIONING_TAGS))
    return linkDensity(element) > 0.6 && element.words > 8 && !isTitleOfEntry(element);
  return !findFirst(element, (inner) => inner.tag === 'h1' && inner.words > 1) || linkDensity(element) > 0.5;
}

/** True for a header of an article that mostly holds its heading, which links to the whole text. */
function isTitleOfEntry(header: Element): boolean {
  const heading = findShown(header, ({ tag }) => isHeadingTag(tag));
  return heading !== undefined && heading.words >= header.words * TITLE_SHARE;
}

/** Fields of a form that is filled in, at least; a text area counts as two. */
const MIN_FIELDS = 4;

/**
 * True for a form that is filled in, whose sentences are its terms: a request, an application, a comparison by choice.
 * Effect over five folds by domain (WCXB): service +0.002, article +0.001; five pages gain, none loses.
 */
function isFilledIn(form: Element): boolean {
  let fields = 0;
  walk(form, ({ tag }) => {
    if (tag === 'input') fields++;
    if (tag === 'textarea') fields += 2;
    return fields < MIN_FIELDS;
  });
  return fields >= MIN_FIELDS;
}

const holdsProse = (element: Element): boolean =>
  element.words > 150 && linkDensity(element) < 0.4 && element.punctuation > 10;

/** True for footnotes, which belong to the content wherever they are. */
function isFootnotes({ attributes, hints, tag }: Element): boolean {
  const { class: className, id, role } = attributes;
  if (role === 'doc-endnotes' || role === 'doc-footnote') return true;
  if ((hints & Hint.mayNotes) === 0 || tag === 'nav') return false;
  return /(?:^|[\s_-])(?:foot|end)notes?(?=$|[\s_-])/i.test(`${className ?? ''} ${id ?? ''}`);
}

/** True for notes and warnings that documentation puts into asides. */
const isCallout = (element: Element): boolean =>
  /note|tip|warning|caution|callout|admonition|footnote|sidenote/i.test(element.attributes['class'] ?? '') ||
  element.attributes['role'] === 'note';
