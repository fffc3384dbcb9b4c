import type { HeadData } from '../head/read-head.ts';
import { countText } from '../tree/count-words.ts';
import { type Page, visibleLine } from '../tree/page-tree.ts';

/** Lines with fewer characters are labels, links or facts, not prose. Ideographs count twice. */
const LONG_LINE = 60;
/** A text with fewer lines is too short to compare its lines. */
const MIN_LINES = 8;
const SHORT_LINES_SHARE = 0.9;
/** Minimum share of the page's words, and the share below which the description must be inside the content. */
const SMALL_SHARE = 0.1;
const DESCRIBED_SHARE = 0.35;
/** Minimum words of an `articleBody` that is compared, and the minimum share of it that is kept. */
const ARTICLE_WORDS = 60;
const ARTICLE_SHARE = 0.5;
/** Words of the description that are searched for. It may be cut off after them. */
const DESCRIPTION_WORDS = 8;
const BODY_CHARS = 50_000;
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
