import type { HeadData } from '../head/read-head.ts';
import { countText } from '../tree/count-words.ts';
import { type Page, visibleLine } from '../tree/page-tree.ts';
import {
  ARTICLE_SHARE,
  ARTICLE_WORDS,
  BODY_CHARS,
  DESCRIBED_SHARE,
  DESCRIPTION_WORDS,
  LONG_LINE,
  MIN_LINES,
  SHORT_LINES_SHARE,
  SMALL_SHARE,
} from './thresholds.ts';

const WIDE = /[\u3040-\u9fff\uac00-\ud7af]/;

export interface DoubtsInput {
  readonly page: Page;
  readonly head: HeadData;
  /** The main content as text, and its words. */
  readonly text: string;
  readonly words: number;
}

/**
 * Returns the signals that disagree with the choice of the main content. Measured on labelled pages: the content of pages
 * with a signal is right in fewer words (`npm run eval -- extract` prints the difference).
 */
export function findDoubts({ page, head, text, words }: DoubtsInput): string[] {
  const share = words / (page.body.words || 1);
  const signals: [boolean, string][] = [
    [hasFewLongLines(text), 'few long lines'],
    [share < SMALL_SHARE, 'small share of the page'],
    [words < articleWords(head) * ARTICLE_SHARE, 'less than articleBody'],
    [share < DESCRIBED_SHARE && isDescribedOutside(page, head, text), 'description outside the content'],
  ];
  return signals.filter(([holds]) => holds).map(([, name]) => name);
}

function hasFewLongLines(text: string): boolean {
  let lines = 0;
  let short = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    lines++;
    if (line.length < LONG_LINE && (line.length < LONG_LINE / 2 || !WIDE.test(line))) short++;
  }
  return lines >= MIN_LINES && short > lines * SHORT_LINES_SHARE;
}

/** Returns the words of the longest `articleBody`, 0 if it is short: https://schema.org/articleBody */
function articleWords({ jsonLd }: HeadData): number {
  let most = 0;
  for (const { articleBody } of jsonLd)
    if (typeof articleBody === 'string') most = Math.max(most, countText(articleBody.slice(0, 200_000)).words);
  return most < ARTICLE_WORDS ? 0 : most;
}

/** True if the page shows the opening of its description, but not in the content. */
function isDescribedOutside(page: Page, head: HeadData, text: string): boolean {
  const words = wordsOf(head.og['description'] ?? head.description ?? '').slice(0, DESCRIPTION_WORDS);
  if (words.length < DESCRIPTION_WORDS) return false;
  const opening = words.join(' ');
  const shows = (shown: string): boolean => wordsOf(shown).join(' ').includes(opening);
  return !shows(text) && shows(visibleLine(page.body, BODY_CHARS));
}

const wordsOf = (text: string): string[] =>
  text
    .slice(0, BODY_CHARS)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
