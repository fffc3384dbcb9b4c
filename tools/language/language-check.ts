import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import type { Check } from '../checks/check.ts';
import { findBannedWords } from './find-banned-words.ts';
import { type Passage, pathPassage, readPassages } from './read-passages.ts';

const FILES = [
  '{libs,services,proto,deploy,tools,test,bench,helm,packages,examples,clients}/**/*.{ts,tsx,mjs,proto,sql,prisma,md,sh,yaml,yml,tpl}',
  '*.{md,yaml,yml,mjs}',
];
/** Generated code, page fixtures, the glossary, and the list of banned words with its tests. */
const NOT_READ =
  /(^|\/)(node_modules|dist|gen|generated|fixtures)(\/|$)|^test\/web\/pages(\/|$)|^services\/scrape\/test\/pages(\/|$)|^deploy\/sample-site\/edition|^pnpm-lock|^CONTRIBUTING\.md$|^tools\/language\/(?:banned-words|[\w-]+\.test)\.ts$/;
const EXCEPTIONS_FILE = 'tools/language/exceptions.txt';

/** Production code, in which these words are searched in every character of a file. */
const PRODUCTION = /^(?:libs|services)\/[^/]+\/src\/|^(?:proto|deploy)\//;
const STRICT = /\b(?:told|tells?|telling|wish|desk|nobody|whoever)\b/gi;

/** An accepted use: `path glob | word or whole name | reason`, one per line. */
interface Exception {
  readonly glob: string;
  readonly word: string;
  readonly reason: string;
}

interface Found {
  readonly path: string;
  readonly line: number;
  readonly word: string;
  readonly use: string;
  readonly name?: string;
}

/** @throws Error where a line has not three parts */
export function readExceptions(text: string): readonly Exception[] {
  return text.split('\n').flatMap((line): Exception[] => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    const [glob = '', word = '', reason = ''] = line.split('|').map((part) => part.trim());
    if (reason === '') throw new Error(`${EXCEPTIONS_FILE}: expected "path glob | word | reason", found "${line}"`);
    return [{ glob, word, reason }];
  });
}

/** Returns the banned words of one file. */
export function violationsOf(path: string, text: string): readonly Found[] {
  const passages: readonly Passage[] = [pathPassage(path), ...readPassages(path, text)];
  const found = passages.flatMap(findBannedWords).map((one) => ({ path, ...one }));
  return [...found, ...(PRODUCTION.test(path) && /\.tsx?$/.test(path) ? strictViolations(path, text, found) : [])];
}

/** Finds what is neither prose nor name, such as a word inside a regular expression. */
function strictViolations(path: string, text: string, known: readonly Found[]): Found[] {
  const use = 'see tools/language/banned-words.ts';
  return text
    .split('\n')
    .flatMap((part, index) =>
      (part.match(STRICT) ?? [])
        .map((word) => ({ path, line: index + 1, word: word.toLowerCase(), use }))
        .filter(({ line, word }) => !known.some((one) => one.line === line && one.word === word)),
    );
}

/** Checks names, comments, messages, titles and documents against the list of banned words. */
export const languageCheck = (root: string): Check => ({
  name: 'language',
  async run() {
    const listed = globSync(FILES, { cwd: root, exclude: (path) => NOT_READ.test(path) });
    // `exclude` skips whole folders; for a file it receives only the name.
    const paths = listed.filter((path) => !NOT_READ.test(path)).sort();
    const exceptions = readExceptions(readFileSync(join(root, EXCEPTIONS_FILE), 'utf8'));
    const unused = new Set(exceptions);
    const isAccepted = ({ path, word, name }: Found): boolean => {
      const exception = exceptions.find(
        (one) => (one.word === word || one.word === name) && matchesGlob(path, one.glob),
      );
      if (exception !== undefined) unused.delete(exception);
      return exception !== undefined;
    };
    const found = paths.flatMap((path) => violationsOf(path, readFileSync(join(root, path), 'utf8')));
    const problems = found
      .filter((one) => !isAccepted(one))
      .map(({ path, line, word, use }) => `${path}:${line} "${word}": use ${use}`);
    const stale = [...unused].map(
      ({ glob, word }) => `${EXCEPTIONS_FILE}: "${glob} | ${word}" matches nothing: delete it`,
    );
    return { summary: `${paths.length} files, ${exceptions.length} exceptions`, problems: [...problems, ...stale] };
  },
});
