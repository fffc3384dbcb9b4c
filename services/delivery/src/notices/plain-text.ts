/** Controls, and the marks that make text run the other way than it is written: `exe.fdp` must not read as `pdf.exe`. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const SPACE = /\s+/gu;

/** Text of a page, a model or a user as one plain line of `most` characters at most: what is cut ends in an ellipsis. */
export function plain(text: string, most: number): string {
  const line = text
    .slice(0, most * 8)
    .toWellFormed()
    .replace(SPACE, ' ')
    .replace(UNSEEN, '')
    .trim();
  return cut(line, most);
}

/** Text that keeps its line ends, cut to `most` characters. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // A pair of surrogates is never halved.
  const kept = text
    .slice(0, Math.max(most - 1, 0))
    .toWellFormed()
    .replace(/\ufffd$/, '');
  return `${kept.trimEnd()}…`;
}

/** `1 page`, `2 pages`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/**
 * Takes the life out of what a reader would make a link or a call of by itself: an address, `www.`, `@everyone`. What it reads as stays.
 * An invisible space does it, as backslashes do not in every markup.
 */
export function lifeless(text: string): string {
  return text
    .replaceAll('://', ':\u200b//')
    .replace(/\bwww\./gi, (start) => `${start.slice(0, 3)}\u200b.`)
    .replaceAll('@', '@\u200b');
}
