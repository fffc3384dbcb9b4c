import type { HeadData } from '../head/read-head.ts';
import { Hint } from '../tree/name-hints.ts';
import { type Element, Flag, type Page } from '../tree/page-tree.ts';
import { declaresArticle, declaresThing } from './declared-article.ts';
import { isLeaf, isSentence, proseWordsOf, SENTENCE_WORDS } from './prose.ts';

/** A text of more words than this with comments below it is an article. */
const OPENING_CAP = 300;
/** Comments with fewer words than this say nothing about the page. */
const MIN_COMMENT_WORDS = 40;
/** A short text and its comments are one conversation if the comments have at least this share of its length. */
const SHORT_OPENING = 120;
const SHORT_SHARE = 0.7;
/** Fewer words are the notice of a form for comments. */
const MIN_SHORT_WORDS = 12;
const CHROME_TAGS = new Set(['nav', 'footer', 'aside', 'menu', 'header']);

interface ProseTally {
  comments: number;
  other: number;
}

/**
 * Recognises a conversation from the page itself: its comment boxes outweigh the rest of its prose, which is short.
 * Below a very short text they need only be about as long. A page that declares an article or
 * what its comments are about is none.
 */
export function isConversation(page: Page, head: HeadData): boolean {
  if (declaresArticle(head) || declaresThing(page, head)) return false;
  const tally: ProseTally = { comments: 0, other: 0 };
  countProse(page.body, tally);
  if (tally.other <= SHORT_OPENING)
    return tally.comments >= MIN_SHORT_WORDS && tally.comments > tally.other * SHORT_SHARE;
  return tally.comments >= MIN_COMMENT_WORDS && tally.comments > tally.other && tally.other <= OPENING_CAP;
}

function countProse(element: Element, tally: ProseTally): void {
  if ((element.flags & Flag.notRendered) !== 0 || CHROME_TAGS.has(element.tag)) return;
  if ((element.hints & Hint.comment) !== 0 && element.tag !== 'body') {
    tally.comments += proseWordsOf(element);
    return;
  }
  if (isLeaf(element)) {
    if (isSentence(element)) tally.other += element.words - element.linkWords;
    return;
  }
  if (element.ownWords >= SENTENCE_WORDS) tally.other += element.ownWords;
  for (const child of element.children) if (typeof child !== 'string' && child.words > 0) countProse(child, tally);
}
