import type { JsonObject } from '../head/json-ld.ts';
import { makeOf } from '../tree/make-of.ts';
import { Hint } from '../tree/name-hints.ts';
import { type Element, Flag, isBlock, walk } from '../tree/page-tree.ts';
import { PageKind } from './page-kind.ts';
import { structuredBody } from './structured-body.ts';
import {
  DECLARED_SHARE,
  LINK_WEIGHT,
  NARROWING_SHARE,
  ONLY_BODY_SHARE,
  SIMILAR_SHARE,
  WEIGHED_WORDS,
} from './thresholds.ts';

/** The element with the page's main content. */
export interface MainChoice {
  readonly root: Element;
  /** Words of the body without site chrome. */
  readonly contentWords: number;
}

/**
 * Chooses the smallest element that holds most of the page's prose. In a listing the prose is spread over many
 * siblings, so the search stops at their container and does not lose most of the page.
 */
export function chooseMain(body: Element, jsonLd: readonly JsonObject[], kind: PageKind): MainChoice {
  const proseWeights = new Map<Element, number>();
  const contentWords = proseWeightOf(body, proseWeights, kind === PageKind.article);
  const total = proseWeights.get(body) ?? 0;
  let root = declaredMain(body, proseWeights, total) ?? body;
  for (;;) {
    const next = heaviestChild(root, proseWeights);
    if (
      !next ||
      (proseWeights.get(next) ?? 0) < (proseWeights.get(root) ?? 0) * NARROWING_SHARE ||
      isTextBlock(next) ||
      isPartOfFlow(next)
    )
      break;
    root = next;
  }
  const container = containerOf(root);
  const structured = structuredBody(body, container, jsonLd);
  return structured
    ? { root: structured, contentWords: Math.max(contentWords, structured.words) }
    : { root: container, contentWords };
}

/** Computes the prose weight of each element below, without chrome. Returns the plain word count. */
function proseWeightOf(element: Element, proseWeights: Map<Element, number>, isArticle: boolean): number {
  // A card that is one link is content of a list, and leads away from an article.
  if (isArticle && element.tag === 'a') {
    proseWeights.set(element, element.words * LINK_WEIGHT);
    return element.words;
  }
  let prose = 0;
  let words = 0;
  let inlineWords = element.ownWords;
  let inlineStops = element.ownPunctuation;
  let inlineLinks = 0;
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    if ((child.flags & (Flag.notRendered | Flag.boilerplate)) === 0) {
      if ((child.flags & Flag.hasBlock) === 0 && !isBlock(child.tag)) {
        inlineWords += child.words;
        inlineStops += child.punctuation;
        inlineLinks += child.linkWords;
      } else {
        words += proseWeightOf(child, proseWeights, isArticle);
        prose += proseWeights.get(child) ?? 0;
      }
    }
  }
  prose += proseOf(inlineWords, inlineLinks, inlineStops);
  proseWeights.set(element, prose);
  return words + inlineWords;
}

/** Weighs words as prose: link text counts a tenth, short runs about a third. */
function proseOf(words: number, linkWords: number, punctuation: number): number {
  if (words === 0) return 0;
  const plain = Math.max(0, words - linkWords);
  const sentence = words >= WEIGHED_WORDS || punctuation > 1 ? 1 : 0.35;
  return plain * sentence + linkWords * LINK_WEIGHT;
}

function heaviestChild(element: Element, proseWeights: ReadonlyMap<Element, number>): Element | undefined {
  let best: Element | undefined;
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    if ((proseWeights.get(child) ?? 0) > (best ? (proseWeights.get(best) ?? 0) : 0)) best = child;
  }
  return best;
}

const TEXT_BLOCK_TAGS = new Set([
  'p',
  'ul',
  'ol',
  'dl',
  'table',
  'tbody',
  'tr',
  'pre',
  'blockquote',
  'li',
  'h1',
  'h2',
  'h3',
]);
const isTextBlock = (element: Element): boolean => TEXT_BLOCK_TAGS.has(element.tag);

const FLOW_TAGS = new Set(['p', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'pre', 'blockquote']);

/** True for a box among paragraphs and headings, such as a long code listing: it is one part of a text. */
function isPartOfFlow(element: Element): boolean {
  let flow = 0;
  for (const sibling of element.parent?.children ?? []) {
    if (typeof sibling === 'string' || sibling === element || !FLOW_TAGS.has(sibling.tag)) continue;
    if ((sibling.flags & (Flag.notRendered | Flag.boilerplate)) === 0 && sibling.words > sibling.linkWords * 2 + 1)
      flow++;
  }
  return flow > 1;
}

/** Returns the element declared as article or main part, if it holds enough of the prose. */
function declaredMain(body: Element, proseWeights: ReadonlyMap<Element, number>, total: number): Element | undefined {
  const candidates: Element[] = [];
  walk(body, (element) => {
    if ((element.flags & (Flag.notRendered | Flag.boilerplate)) !== 0) return false;
    if (declaresMain(element)) candidates.push(element);
    return undefined;
  });
  const bodies = candidates.filter((element) => element.attributes['itemprop'] === 'articleBody');
  const shareOf = (element: Element): number => (proseWeights.get(element) ?? 0) / total;
  if (bodies.length === 1 && bodies[0] && shareOf(bodies[0]) >= ONLY_BODY_SHARE && shareOf(bodies[0]) < DECLARED_SHARE)
    return bodies[0];
  const large = candidates.filter((element) => shareOf(element) >= DECLARED_SHARE);
  // A declaration that several large elements share, such as each post of a thread, is ignored.
  return large.findLast(
    (element) => !candidates.some((other) => other !== element && isSimilar(element, other, proseWeights)),
  );
}

/** True for two elements of one make and comparable weight. */
function isSimilar(element: Element, other: Element, proseWeights: ReadonlyMap<Element, number>): boolean {
  const isSame = element.tag === other.tag && makeOf(element) === makeOf(other);
  return isSame && (proseWeights.get(other) ?? 0) > (proseWeights.get(element) ?? 0) * SIMILAR_SHARE;
}

function declaresMain(element: Element): boolean {
  const { itemprop, role, class: className, id } = element.attributes;
  if (itemprop === 'articleBody' || element.tag === 'main' || element.tag === 'article' || role === 'main') return true;
  if ((element.hints & Hint.content) === 0) return false;
  return /(?:^|[\s_-])(?:article|entry|post|story|blog)[-_]?(?:body|content|text)(?=$|[\s_-])/i.test(
    `${className ?? ''} ${id ?? ''}`,
  );
}

/** Returns the container of a lone paragraph or list item. */
function containerOf(root: Element): Element {
  let container = root;
  while (isTextBlock(container) && container.parent && container.tag !== 'body') container = container.parent;
  return container;
}
