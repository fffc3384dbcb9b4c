import type { TagRule } from './tag-rules.ts';

const [TAB, NEWLINE, FORM_FEED, RETURN, SPACE, SLASH, GREATER_THAN] = [9, 10, 12, 13, 32, 47, 62];

export const isWhite = (code: number): boolean =>
  code === SPACE || code === NEWLINE || code === TAB || code === RETURN || code === FORM_FEED;

/** True for a character that ends the name of a tag. */
export const endsName = (code: number): boolean => code === GREATER_THAN || code === SLASH || isWhite(code);

/** What changes the state of a script with comments. */
const SCRIPT_MARKS = /<!--|-->|<\/?script(?=[\s/>])/gi;

/**
 * Returns the position of the end tag that ends an element of raw text, or -1:
 * https://html.spec.whatwg.org/multipage/parsing.html#rawtext-state
 */
export function rawTextEnd(html: string, { name, contentModel }: TagRule, from: number): number {
  let end = html.indexOf('</', from);
  while (end !== -1 && !isEndOf(html, name, end + 2)) end = html.indexOf('</', end + 2);
  if (contentModel !== 'script' || end === -1) return end;
  const comment = html.slice(from, end).indexOf('<!--');
  return comment === -1 ? end : escapedScriptEnd(html, from + comment);
}

/**
 * Returns the end of a script that contains comments: inside a comment, an end tag after a nested start tag closes only
 * that: https://html.spec.whatwg.org/multipage/parsing.html#script-data-double-escaped-state
 */
function escapedScriptEnd(html: string, from: number): number {
  let [isEscaped, isNested] = [false, false];
  SCRIPT_MARKS.lastIndex = from;
  for (let mark = SCRIPT_MARKS.exec(html); mark; mark = SCRIPT_MARKS.exec(html)) {
    const found = mark[0].toLowerCase();
    if (found === '<!--') {
      isEscaped = true;
      // The dashes of `<!-->` also end the comment.
      SCRIPT_MARKS.lastIndex -= 2;
    } else if (found === '-->') isEscaped = isNested = false;
    else if (found === '<script') isNested = isEscaped;
    else if (!isNested) return mark.index;
    else isNested = false;
  }
  return -1;
}

function isEndOf(html: string, name: string, at: number): boolean {
  const end = at + name.length;
  return endsName(html.charCodeAt(end)) && html.slice(at, end).toLowerCase() === name;
}
