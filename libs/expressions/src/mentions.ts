/** Characters that are compared. */
const MAX_CHARS = 100_000;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const MARK = /\p{M}/gu;
/** Scripts without spaces between words: there a text is found within a word. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Returns whether a text has the words of another in their order, next to each other, whatever their case, accents and punctuation. Words are whole. */
export function mentions(text: string, words: string): boolean {
  const sought = wordsOf(words);
  if (sought.length === 0) return false;
  if (DENSE.test(words)) return wordsOf(text).join(' ').includes(sought.join(' '));
  return ` ${wordsOf(text).join(' ')} `.includes(` ${sought.join(' ')} `);
}

const wordsOf = (text: string): string[] =>
  text.slice(0, MAX_CHARS).normalize('NFKD').replace(MARK, '').toLowerCase().match(WORD) ?? [];
