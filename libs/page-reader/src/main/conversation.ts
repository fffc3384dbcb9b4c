import type { HeadData } from '../head/read-head.ts';
import { Hint } from '../tree/name-hints.ts';
import { type Element, Flag, type Page } from '../tree/page-tree.ts';
import { declaresArticle, declaresThing } from './declared-article.ts';
import { isLeaf, isSentence, proseWordsOf } from './prose.ts';
import {
  MIN_COMMENT_WORDS,
  MIN_SHORT_WORDS,
  OPENING_CAP,
  SENTENCE_WORDS,
  SHORT_OPENING,
  SHORT_SHARE,
} from './thresholds.ts';

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
