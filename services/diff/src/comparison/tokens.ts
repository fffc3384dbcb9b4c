/** An indivisible piece of text: a word, a number, or one other character. */
export interface Token {
  readonly text: string;
  /** White space before it. Trailing white space belongs to an empty token. */
  readonly space: string;
  readonly isWord: boolean;
}

/** Scripts without spaces between words. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々〆';
const WORD = '[\\p{L}\\p{M}\\p{N}_]';
/** Numbers keep their separators and words their apostrophes: "1,234.50" and "don't" are one token each. */
const PIECES = new RegExp(
  `\\s+|[${UNSPACED}][${UNSPACED}\\p{M}]*|(?:(?![${UNSPACED}])${WORD}|(?<=\\p{Nd})[.,](?=\\p{Nd})|(?<=\\p{L})['’](?=\\p{L}))+|\\P{White_Space}`,
  'gu',
);
/** ASCII-only variant: three times as fast, and most texts are ASCII. */
const ASCII_PIECES = /\s+|\w+(?:(?:(?<=[a-z])'(?=[a-z])|(?<=\d)[.,](?=\d))\w+)*|[^\s\w]/gi;
const IS_ASCII = /^[\x20-\x7e\s]*$/;
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
const IS_WORD = new RegExp(WORD, 'u');
/** Intl.Segmenter takes quadratic time, so it gets at most this many characters. */
const MAX_SEGMENT_CHARS = 256;
/** Longer words are split so that comparing two stays cheap. */
const MAX_WORD_CHARS = 2_000;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Splits a text into tokens that join, with their spaces, to the text. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let space = '';
  const isAscii = IS_ASCII.test(text);
  for (const piece of text.match(isAscii ? ASCII_PIECES : PIECES) ?? []) {
    if (isSpace(piece)) {
      space = piece;
      continue;
    }
    const isWord = isAscii ? /^\w/.test(piece) : IS_WORD.test(piece);
    for (const part of isAscii && piece.length <= MAX_WORD_CHARS ? [piece] : partsOf(piece, isWord)) {
      tokens.push({ text: part, space, isWord });
      space = '';
    }
  }
  if (space !== '') tokens.push({ text: '', space, isWord: false });
  return tokens;
}

/** Counts words. In scripts without spaces two characters count as one word, which avoids segmentation. */
export function countWords(text: string): number {
  const isAscii = IS_ASCII.test(text);
  let words = 0;
  for (const piece of text.match(isAscii ? ASCII_PIECES : PIECES) ?? []) {
    if (isSpace(piece) || !(isAscii ? /^\w/.test(piece) : IS_WORD.test(piece))) continue;
    words += isAscii || !IS_UNSPACED.test(piece) ? 1 : Math.ceil(piece.length / 2);
  }
  return words;
}

const isSpace = (piece: string): boolean => piece === ' ' || /^\s/.test(piece);

function partsOf(piece: string, isWord: boolean): string[] {
  if (!isWord || (piece.length === 1 && !IS_UNSPACED.test(piece))) return [piece];
  if (!IS_UNSPACED.test(piece)) return piece.length <= MAX_WORD_CHARS ? [piece] : splitAt(piece, MAX_WORD_CHARS);
  return splitAt(piece, MAX_SEGMENT_CHARS).flatMap((run) => [...segmenter.segment(run)].map(({ segment }) => segment));
}

/** Splits at a length, never between the halves of a surrogate pair. */
function splitAt(text: string, chars: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const isSplit = /[\ud800-\udbff]/.test(text.charAt(from + chars - 1)) && from + chars < text.length;
    const to = from + chars - (isSplit ? 1 : 0);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}
