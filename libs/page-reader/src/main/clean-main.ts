import { Hint } from '../tree/name-hints.ts';
import {
  type Element,
  Flag,
  findFirst,
  inheritsFlag,
  isBlock,
  isElement,
  linkDensity,
  visibleLine,
  walk,
} from '../tree/page-tree.ts';
import { BOILERPLATE_LINE, BYLINE, BYLINE_DATE, DATE_LINE, TRAILING_HEADING } from './boilerplate-lines.ts';
import { hasIdOfText } from './heading-id.ts';
import { isListInText } from './list-in-text.ts';
import { isOneOfMany } from './one-of-many.ts';
import { PageKind } from './page-kind.ts';
import { isQuoteInText } from './quoted-post.ts';
import {
  AUTHOR_BOX_WORDS,
  BIOGRAPHY_SHARE,
  BIOGRAPHY_WORDS,
  CAPTION_WORDS,
  END_HEADING_WORDS,
  END_LABEL_CHILDREN,
  END_LABEL_WORDS,
  LINK_LIST_DENSITY,
  LINK_LIST_SHARE,
  LINK_LIST_WORDS,
  LONG_SECTION_DENSITY,
  LONG_SECTION_SHARE,
  NAVIGATION_DENSITY,
  NAVIGATION_WORDS,
  RECURRENCES,
  RELATED_DENSITY,
  RELATED_SHARE,
  RELATED_WORDS,
  SHARE_BUTTONS_WORDS,
  SMALL_PRINT_WORDS,
  TEXT_BEFORE_END_SHARE,
} from './thresholds.ts';

/**
 * Marks boilerplate inside the chosen content: sharing, related links, bylines. Marks captions, which plain text omits.
 */
export function cleanMain(root: Element, kind: PageKind): void {
  const total = Math.max(root.words, 1);
  walk(root, (element) => {
    if ((element.flags & (Flag.notRendered | Flag.boilerplate)) !== 0) return false;
    if (isBoilerplate(element, total, kind)) {
      element.flags |= Flag.boilerplate;
      return false;
    }
    if (isCaption(element)) element.flags |= Flag.caption;
    return undefined;
  });
  dropTrailingSections(root, kind, total);
}

const STRUCTURAL_TAGS = new Set([
  'main',
  'article',
  'body',
  'pre',
  'code',
  'table',
  'tbody',
  'tr',
  'td',
  'th',
  'h1',
  'figure',
  'a',
  'b',
  'strong',
  'em',
  'i',
  'math',
  'br',
  'img',
]);

/** Boxes with the author's statistics that forum software adds to each post. */
const FORUM_AUTHOR_BOX =
  /(?:^|[\s_-])(?:post-?profile|user-?(?:extras|stats|details|info)|message-userextras|poster-?(?:info|details)|author-?(?:pane|stats)|cAuthorPane|signature|bbCodeBlock-expandLink|message-actionBar|reactionsBar|js-postRepMessage|post-?(?:buttons|controls|actions))(?=$|[\s_-])/i;

function isBoilerplate(element: Element, total: number, kind: PageKind): boolean {
  const { tag, hints } = element;
  if (STRUCTURAL_TAGS.has(tag)) return false;
  if (isBreadcrumb(element)) return true;
  if (kind === PageKind.forum)
    return element.words < AUTHOR_BOX_WORDS && FORUM_AUTHOR_BOX.test(element.attributes['class'] ?? '');
  const share = element.words / total;
  const density = linkDensity(element);
  if (
    kind === PageKind.article &&
    (hints & Hint.meta) !== 0 &&
    (hints & Hint.content) === 0 &&
    element.words < BIOGRAPHY_WORDS &&
    share < BIOGRAPHY_SHARE
  )
    return true;
  if (
    (hints & Hint.aside) !== 0 &&
    share < RELATED_SHARE &&
    (density > RELATED_DENSITY || element.words < RELATED_WORDS) &&
    !isQuoteInText(element) &&
    !hasIdOfText(element) &&
    !isOneOfMany(element, total, kind)
  )
    return true;
  if (kind === PageKind.article && isLinkBlock(element, density, share) && !isListInText(element)) return true;
  return isBoilerplateLine(element);
}

const HOME_LINK =
  /^(?:[^\p{L}]*)(?:home(?:page)?|start(?:seite)?|accueil|inicio|início|home page|strona główna|hem|hjem|etusivu|главная|首页|首頁|ホーム|トップ|홈|anasayfa|ana sayfa|beranda|الرئيسية|होम|خانه)(?:[^\p{L}]*)$/iu;

/** True for a breadcrumb trail, recognised by its first link to the home page. */
function isBreadcrumb(element: Element): boolean {
  if (
    !['ul', 'ol', 'div', 'p', 'section'].includes(element.tag) ||
    element.words > SHARE_BUTTONS_WORDS ||
    element.linkWords === 0
  )
    return false;
  const first = findFirst(element, (inner) => inner.tag === 'a' && inner.words > 0);
  if (!first || !HOME_LINK.test(visibleLine(first, 30))) return false;
  const line = visibleLine(element, 300);
  return (
    line.startsWith(visibleLine(first, 30)) && (/[>›»→/|·]/.test(line) || element.tag === 'ul' || element.tag === 'ol')
  );
}

/** True for a block of links in an article: related stories, tags, pagers. Short lists of plain text are content. */
function isLinkBlock(element: Element, density: number, share: number): boolean {
  if (
    !['ul', 'ol', 'div', 'section', 'p', 'dl'].includes(element.tag) ||
    density < LINK_LIST_DENSITY ||
    share > LINK_LIST_SHARE
  )
    return false;
  if (element.tag === 'p' || (element.flags & Flag.hasBlock) === 0)
    return (
      density > NAVIGATION_DENSITY &&
      element.words < NAVIGATION_WORDS &&
      element.words > 0 &&
      !hasImage(element) &&
      startsLikeNavigation(element)
    );
  return element.words > LINK_LIST_WORDS;
}

const hasImage = (element: Element): boolean =>
  element.children.some((child) => isElement(child) && (child.tag === 'img' || child.tag === 'picture'));
const startsLikeNavigation = (element: Element): boolean =>
  /^(?:read|see|more|also|related|click|view|share|tweet|next|previous|back|continue|»|→|←)/i.test(
    visibleLine(element, 40),
  );

/** True for a short line with metadata of the article. */
function isBoilerplateLine(element: Element): boolean {
  if (
    !isBlock(element.tag) ||
    element.words > SMALL_PRINT_WORDS ||
    element.words === 0 ||
    (element.flags & Flag.hasBlock) !== 0
  )
    return false;
  if (/^h[1-6]$/.test(element.tag)) return false;
  const line = visibleLine(element, 120);
  return (
    BOILERPLATE_LINE.test(line) ||
    BYLINE.test(line) ||
    (/\d{4}/.test(line) && (DATE_LINE.test(line) || BYLINE_DATE.test(line)))
  );
}

const isCaption = (element: Element): boolean =>
  element.tag === 'figcaption' ||
  ((element.hints & Hint.caption) !== 0 &&
    element.words < CAPTION_WORDS &&
    (element.hints & Hint.content) === 0 &&
    !holdsHeading(element));

const holdsHeading = (element: Element): boolean =>
  findFirst(element, (inner) => /^h[1-6]$/.test(inner.tag) && inner.words > 0) !== undefined;

/** Marks sections in the later part of the page that start with a heading such as "Related stories". */
function dropTrailingSections(root: Element, kind: PageKind, total: number): void {
  if (kind === PageKind.forum) return;
  let wordsBefore = 0;
  const headings: { element: Element; line: string }[] = [];
  walk(root, (element) => {
    if ((element.flags & (Flag.notRendered | Flag.boilerplate)) !== 0) return false;
    if (!isHeading(element)) {
      if ((element.flags & Flag.hasBlock) === 0 && isBlock(element.tag)) wordsBefore += element.words;
      return undefined;
    }
    if (wordsBefore <= total * TEXT_BEFORE_END_SHARE || element.words >= END_HEADING_WORDS) return false;
    const line = visibleLine(element, 90);
    if (TRAILING_HEADING.test(line)) headings.push({ element, line });
    return false;
  });
  const times = new Map<string, number>();
  for (const { line } of headings) times.set(line, (times.get(line) ?? 0) + 1);
  for (const { element, line } of headings)
    if ((times.get(line) ?? 0) < RECURRENCES && !inheritsFlag(element, Flag.boilerplate)) dropSection(element, total);
}

const isHeading = (element: Element): boolean =>
  /^h[1-6]$/.test(element.tag) ||
  (element.words > 0 &&
    element.words < END_LABEL_WORDS &&
    (element.flags & Flag.hasBlock) === 0 &&
    (element.tag === 'p' || element.tag === 'div') &&
    element.children.length < END_LABEL_CHILDREN);

function dropSection(heading: Element, total: number): void {
  const siblings = heading.parent?.children ?? [];
  const from = siblings.indexOf(heading);
  const section: Element[] = [];
  let words = 0;
  for (const sibling of siblings.slice(from)) {
    if (typeof sibling === 'string') continue;
    if (
      sibling !== heading &&
      /^h[1-6]$/.test(sibling.tag) &&
      /^h[1-6]$/.test(heading.tag) &&
      sibling.tag <= heading.tag
    )
      break;
    section.push(sibling);
    words += sibling.words;
  }
  const linkedWords = section.reduce((sum, element) => sum + element.linkWords, 0);
  const boilerplate =
    words > total * LONG_SECTION_SHARE && linkedWords < words * LONG_SECTION_DENSITY ? section.slice(0, 1) : section;
  for (const element of boilerplate) element.flags |= Flag.boilerplate;
}
