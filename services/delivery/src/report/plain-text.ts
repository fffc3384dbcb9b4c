/** Controls, and the marks that make text run the other way than it is written: `exe.fdp` must not read as `pdf.exe`. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const SPACE = /\s+/gu;

/** Text of a page, a model or a user as one plain line of `most` characters at most: what is cut ends in an ellipsis. */
export function plain(text: string, max: number): string {
  const line = text
    .slice(0, max * 8)
    .toWellFormed()
    .replace(SPACE, ' ')
    .replace(INVISIBLE, '')
    .trim();
  return cut(line, max);
}

/** Text that keeps its line ends, cut to `most` characters. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // A pair of surrogates is never halved.
  const kept = text
    .slice(0, Math.max(max - 1, 0))
    .toWellFormed()
    .replace(/\ufffd$/, '');
  return `${kept.trimEnd()}…`;
}

/** `1 page`, `2 pages`. */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/**
 * Takes the life out of what a reader would make a link or a call of by itself: an address, `www.`, `@everyone`. What it reads as stays.
 * An invisible space does it, as backslashes do not in every markup.
 */
export function neutralize(text: string): string {
  return text
    .replaceAll('://', ':\u200b//')
    .replace(/\bwww\./gi, (start) => `${start.slice(0, 3)}\u200b.`)
    .replaceAll('@', '@\u200b');
}
