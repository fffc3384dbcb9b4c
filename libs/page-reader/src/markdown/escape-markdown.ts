import { INVISIBLE, NEEDS_WORK, WHITE } from '../output/inline-whitespace.ts';

/** Escapes the characters that would otherwise be markup. https://spec.commonmark.org/0.31.2/#backslash-escapes */
export function escapeInline(text: string): string {
  if (!NEEDS_WORK.test(text)) return text;
  const line = text.replace(INVISIBLE, '').replace(WHITE, ' ');
  if (!/[\\`*_[<~&]/.test(line)) return line;
  return (
    line
      .replace(/\\(?=[\\`*_[\]<>#~|])/g, '\\\\')
      .replace(/`/g, '\\`')
      // A star between spaces, as in "2 * 3", and an underscore inside a word are literal.
      .replace(/\*/g, (star, at: number) => (line[at - 1] === ' ' && line[at + 1] === ' ' ? star : '\\*'))
      .replace(/(?<![\p{L}\p{N}_])_(?=\S)|_(?![\p{L}\p{N}_])/gu, '\\_')
      .replace(/\[(?=[^\][]{0,300}\](?:\(|:|\[))|\[(?=\^)/g, '\\[')
      .replace(/<(?=[a-z/!?])/gi, '\\<')
      .replace(/~~/g, '\\~\\~')
      .replace(/&(?=#?[a-z0-9]{1,31};)/gi, '\\&')
  );
}

/** Escapes lines whose first characters would start a heading, list, quote or rule. */
export function escapeStart(block: string): string {
  if (!/^(?:#{1,6}\s|[-+]\s|>|={2,}\s*$|-{3,}\s*$|\||:\s|\d{1,9}[.)](?:\s|$))/m.test(block)) return block;
  return block
    .replace(/^(?=#{1,6}\s|[-+]\s|>|={2,}\s*$|-{3,}\s*$|\||:\s)/gm, '\\')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/gm, '$1\\$2');
}

/** Escapes a URL for use inside parentheses: https://spec.commonmark.org/0.31.2/#link-destination */
export function linkTarget(url: string): string {
  if (!/[()\s<>]/.test(url)) return url;
  return url.replace(/[()\s<>]/g, (mark) => (mark === '(' ? '%28' : mark === ')' ? '%29' : encodeURIComponent(mark)));
}

/** Writes inline code, delimited by more backticks than it contains: https://spec.commonmark.org/0.31.2/#code-spans */
export function codeSpan(text: string): string {
  const code = text.replace(/[\n\t\r\u00a0]+/g, ' ').replace(INVISIBLE, '');
  if (code.trim() === '') return code === '' ? '' : ' ';
  const fence = '`'.repeat(longestRun(code, '`') + 1);
  const padded = fence.length > 1 ? ` ${code.trim()} ` : code.trim();
  return `${code.startsWith(' ') ? ' ' : ''}${fence}${padded}${fence}${code.endsWith(' ') ? ' ' : ''}`;
}

/** Returns the length of the longest run of a character. */
export function longestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (const c of text) {
    run = c === character ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
