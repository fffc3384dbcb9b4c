import type { HeadData } from '../head/read-head.ts';
import type { Landmarks } from '../landmarks/landmarks.ts';
import { type Element, Flag, isWithin, type Page } from '../tree/page-tree.ts';
import { cleanMain } from './clean-main.ts';
import { dropChrome } from './drop-chrome.ts';
import { dropAdditions, dropOtherContent } from './end-of-content.ts';
import { dropFacets } from './facets.ts';
import { dropFrame } from './frame.ts';
import { dropFurniture } from './furniture.ts';
import { holdsOneText } from './one-text.ts';
import { dropBeforeHeadline, dropBeforeOpening } from './opening.ts';
import { dropOtherProducts } from './other-products.ts';
import { PageKind } from './page-kind.ts';
import { dropQuotedPosts } from './quotations.ts';
import { dropRepeatedLines } from './repeated-lines.ts';
import { dropQuotations, dropSecondCopies } from './repeated-text.ts';
import { dropSecondTexts } from './second-text.ts';
import { dropTopicLabels } from './topic-labels.ts';

/** What a rule reads. It marks elements below `root` with `Flag.boilerplate` and changes nothing else. */
export interface RuleInput {
  readonly page: Page;
  readonly head: HeadData;
  readonly url: string;
  readonly kind: PageKind;
  /** The head or the markup declares an article. */
  readonly isDeclared: boolean;
  /** Elements that the filters left out. */
  readonly omitted: readonly (readonly Element[])[];
  /** The heading that names the page; undefined before it is searched. */
  readonly headline: Element | undefined;
  /** The body, or the chosen main content. */
  readonly root: Element;
  readonly landmarks: Landmarks;
}

/** One decision about what is no content. Rules apply in the order of their list, each to what the ones before it left. */
export interface ContentRule {
  /** What it leaves out. */
  readonly drops: string;
  /** Kinds of pages that it applies to. */
  readonly on: ReadonlySet<PageKind>;
  /** Why it applies at this place of the order. */
  readonly order: string;
  readonly apply: (input: RuleInput) => void;
}

const { article, sections, forum, listing, product } = PageKind;
const ALL = new Set([article, sections, forum, listing, product]);
const FORUMS = new Set([forum]);
const PRODUCTS = new Set([product]);
const NO_FORUMS = new Set([article, sections, listing, product]);
const NO_PRODUCTS = new Set([article, sections, forum, listing]);
const TEXTS = new Set([article, sections, forum]);
const PROSE = new Set([article, sections]);

/** Rules about the whole page. What they drop is no headline, and has no weight in the choice of the main content. */
export const RULES_BEFORE_HEADLINE: readonly ContentRule[] = [
  {
    drops: 'navigation, headers, footers, sidebars, banners and advertisements, by tag, role and name',
    on: ALL,
    order: 'first: everything later counts words without them',
    apply: ({ page, kind, isDeclared }) => dropChrome(page.body, { kind, isDeclared }),
  },
  {
    drops: 'what the caller excluded and the banners that the filters found',
    on: ALL,
    order: 'after the navigation, which may contain them',
    apply: ({ omitted }) => {
      for (const elements of omitted) for (const element of elements) element.flags |= Flag.boilerplate;
    },
  },
];

/** Rules about the whole page that need its headline. */
export const RULES_BEFORE_CHOICE: readonly ContentRule[] = [
  {
    drops: 'offers of other products',
    on: PRODUCTS,
    order: 'before the choice: a long list of other products outweighs the description of one',
    apply: ({ page, headline, url }) => dropOtherProducts(page.body, headline, url),
  },
];

/** Rules about the chosen main content. */
export const RULES_AFTER_CHOICE: readonly ContentRule[] = [
  {
    drops: 'lists of links, share buttons, forms, hidden labels and empty headings',
    on: ALL,
    order: 'first: the rules after it compare texts without controls',
    apply: ({ root, kind }) => cleanMain(root, kind),
  },
  {
    drops: 'what stands before the first post',
    on: FORUMS,
    order: 'before the rules about posts, which take the first text for a post',
    apply: ({ root, head }) => dropBeforeOpening(root, head.description ?? head.og['description']),
  },
  {
    drops: 'copies of a post in the replies to it, by their markup',
    on: FORUMS,
    order: 'before those by their text, which need the originals alone',
    apply: ({ root }) => dropQuotedPosts(root),
  },
  {
    drops: 'copies of a post in the replies to it, by their text',
    on: FORUMS,
    order: 'after those by their markup',
    apply: ({ root }) => dropQuotations(root),
  },
  {
    drops: 'filters of a list of entries',
    on: NO_FORUMS,
    order: 'before copies are searched: filters repeat words of the entries',
    apply: ({ root }) => dropFacets(root),
  },
  {
    drops: 'the second copy of a text, such as the one for small screens',
    on: NO_FORUMS,
    order: 'before the end of the content is searched, which a copy hides',
    apply: ({ root }) => dropSecondCopies(root),
  },
  {
    drops: 'additions after the description of a product',
    on: PRODUCTS,
    order: 'after copies: a copy of the description is no addition',
    apply: ({ root, kind }) => dropAdditions(root, kind),
  },
  {
    drops: 'labels of topics and lists of tags',
    on: NO_PRODUCTS,
    order: 'before the end of the content is searched, which they mark wrongly',
    apply: ({ root }) => dropTopicLabels(root),
  },
  {
    drops: 'other content after the end of the text: comments, teasers, related entries',
    on: TEXTS,
    order: 'after copies and labels, which look like an end',
    apply: (input) => dropOtherContent(input.root, { kind: input.kind, hasText: hasText(input) }),
  },
  {
    drops: 'additions after the text: biographies, forms, notices',
    on: TEXTS,
    order: 'after other content, so that the last part is the text or an addition to it',
    apply: ({ root, kind }) => dropAdditions(root, kind),
  },
  {
    drops: 'a second article below the first',
    on: PROSE,
    order: 'after additions, which separate the two',
    apply: ({ root, headline, page }) => {
      if (headline) dropSecondTexts(root, headline, page.indexed.headings);
    },
  },
  {
    drops: 'what stands before the headline',
    on: PROSE,
    order: 'after second articles, whose headlines are none of the page',
    apply: ({ root, headline, page }) => {
      if (headline) dropBeforeHeadline(root, headline, page.indexed.headings);
    },
  },
  {
    drops: 'times, reading times, bylines beside buttons and other small print',
    on: ALL,
    order: 'after the rules about parts, which use times and bylines as marks',
    apply: ({ root, kind, isDeclared }) => dropFurniture(root, { dropsTimes: kind === forum || !isDeclared }),
  },
  {
    drops: 'lines that repeat in every entry of a list',
    on: ALL,
    order: 'after small print, of which they are the rest',
    apply: ({ root, kind }) => dropRepeatedLines(root, kind),
  },
  {
    drops: "parts of the page's frame inside the content",
    on: ALL,
    order: 'last: shares are of the words that remain, as in comparisons',
    apply: ({ root, page, landmarks }) => {
      if (isWithin(root, page.body)) dropFrame(root, landmarks);
    },
  },
];

/**
 * Applies the rules for a kind of page in their order.
 * @param without `drops` of a rule that is left out, to measure its effect
 */
export function applyRules(rules: readonly ContentRule[], input: RuleInput, without: string | undefined): void {
  for (const { drops, on, apply } of rules) if (on.has(input.kind) && drops !== without) apply(input);
}

/** True for a main content that is one text, beside which other boxes are other content. */
const hasText = ({ kind, isDeclared, headline, root }: RuleInput): boolean =>
  kind === forum || isDeclared || holdsOneText(root) || headsOneText(headline, root);

/** True for a headline in a box of one text, beside which the chosen element holds other boxes. */
function headsOneText(headline: Element | undefined, root: Element): boolean {
  if (!headline || !isWithin(headline, root)) return false;
  for (let up = headline.parent; up && up !== root; up = up.parent) if (holdsOneText(up)) return true;
  return false;
}
