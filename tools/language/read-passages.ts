import { scanSource } from './scan-source.ts';

/** Text of a file that the language rules apply to. */
export interface Passage {
  readonly line: number;
  readonly kind: 'name' | 'prose';
  readonly text: string;
}

const TEST_FILE = /\.test\.ts$|(?:^|\/)test\//;
/** The first argument of describe, it, test and their variants such as `it.each(table)(…)`. */
const BEFORE_TITLE = /(?: describe| it| test)(?:\. \w+)*\($|\)\($/;
const CODE_FENCE = /^\s*(?:```|~~~)/;

/**
 * Returns the passages of a file, by the kind of file: names and comments of code, strings of two or more words of production
 * code, titles of tests, comments of scripts and of SQL, text of markdown outside of code.
 */
export function readPassages(path: string, text: string): readonly Passage[] {
  if (/\.(?:ts|tsx|mjs|proto)$/.test(path)) return codePassages(text, TEST_FILE.test(path));
  if (path.endsWith('.md')) return markdownPassages(text);
  if (path.endsWith('.sql')) return linePassages(text, /--(.*)$/, { names: true });
  if (/\.(?:sh|ya?ml|prisma|tpl)$/.test(path))
    return linePassages(text, /(?:^|\s)(?:#|\/\/)(.*)$/, { names: path.endsWith('.prisma') });
  return [];
}

/** Returns the words of a file's path as a name at line 1. */
export const pathPassage = (path: string): Passage => ({ line: 1, kind: 'name', text: path.replace(/\.\w+$/, '') });

function codePassages(text: string, isTest: boolean): Passage[] {
  const lineOf = lineFinder(text);
  return scanSource(text).flatMap((piece): Passage[] => {
    const line = lineOf(piece.offset);
    if (piece.kind === 'name') return [{ line, kind: 'name', text: piece.text }];
    if (piece.kind === 'comment') return linesOf(piece.text, line);
    const isRead = isTest ? BEFORE_TITLE.test(piece.before) : /[a-z]\s+[a-z]/i.test(piece.text);
    return isRead ? linesOf(piece.text, line) : [];
  });
}

const linesOf = (text: string, first: number): Passage[] =>
  text.split('\n').map((part, index): Passage => ({ line: first + index, kind: 'prose', text: part }));

function markdownPassages(text: string): Passage[] {
  let isCode = false;
  return text.split('\n').flatMap((part, index): Passage[] => {
    if (CODE_FENCE.test(part)) isCode = !isCode;
    return isCode ? [] : [{ line: index + 1, kind: 'prose', text: part.replace(/`[^`]*`/g, '`') }];
  });
}

function linePassages(text: string, comment: RegExp, { names }: { readonly names: boolean }): Passage[] {
  return text.split('\n').flatMap((part, index): Passage[] => {
    const line = index + 1;
    const [whole = '', said = ''] = comment.exec(part) ?? [];
    const code = names ? part.slice(0, part.length - whole.length) : '';
    const named = (code.match(/\w+/g) ?? []).map((name): Passage => ({ line, kind: 'name', text: name }));
    return [...named, { line, kind: 'prose', text: said }];
  });
}

function lineFinder(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  // Offsets come in ascending order.
  return (offset) => {
    for (; at < offset; at += 1) if (text.charCodeAt(at) === 10) line += 1;
    return line;
  };
}
