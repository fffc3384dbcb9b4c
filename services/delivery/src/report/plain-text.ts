/** Control characters and direction marks: `exe.fdp` must not be displayed as `pdf.exe`. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const SPACE = /\s+/gu;

/** Returns text of a page, a model or a user as one plain line of at most `max` characters, cut with an ellipsis. */
export function plain(text: string, max: number): string {
  const line = text
    .slice(0, max * 8)
    .toWellFormed()
    .replace(SPACE, ' ')
    .replace(INVISIBLE, '')
    .trim();
  return cut(line, max);
}

/** Cuts text to `max` characters; line ends are kept. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // Surrogate pairs are not split.
  const kept = text
    .slice(0, Math.max(max - 1, 0))
    .toWellFormed()
    .replace(/\ufffd$/, '');
  return `${kept.trimEnd()}…`;
}

/** Formats a count with its noun: `1 page`, `2 pages`. */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/**
 * Breaks text that clients turn into links or mentions (addresses, `www.`, `@`) with a zero-width space. It looks the same.
 * Backslashes would not work in every markup.
 */
export function neutralize(text: string): string {
  return text
    .replaceAll('://', ':\u200b//')
    .replace(/\bwww\./gi, (start) => `${start.slice(0, 3)}\u200b.`)
    .replaceAll('@', '@\u200b');
}
