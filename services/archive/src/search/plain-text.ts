/** Largest number of characters of a page that are searched. */
const SEARCHED_CHARS = 1_000_000;

const LINK_TARGET = /\]\((?:[^()\n]{0,2000}|[^()\n]{0,1000}\([^()\n]{0,500}\)[^()\n]{0,500})\)/g;
const AUTOLINK = /<https?:[^<>\s]{1,2000}>/g;
const ESCAPED = /\\([!-/:-@[-`{-~])/g;
const MARKS = /[*`[\]]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])|^[ \t]*(?:#{1,6}|>|[-+]|\d{1,9}[.)])[ \t]|\|/gmu;

/**
 * Returns the searched text of a page: plain text in a composed normal form, cut to its limit because a character can expand to eighteen.
 * It begins with the title, because the markdown omits a heading that repeats it.
 */
export function searchedText(markdown: string, title: string | undefined): string {
  const plain = plainText(markdown).trimStart();
  const text = title === undefined || plain.startsWith(title) ? plain : `${title}\n\n${plain}`;
  return text.normalize('NFKC').slice(0, SEARCHED_CHARS);
}

/** Returns the text of markdown without its syntax and link targets. Every step is linear. */
function plainText(markdown: string): string {
  return markdown
    .slice(0, SEARCHED_CHARS)
    .replace(LINK_TARGET, ']')
    .replace(AUTOLINK, ' ')
    .replace(MARKS, (mark) => (mark.startsWith('|') ? ' ' : ''))
    .replace(ESCAPED, '$1');
}
