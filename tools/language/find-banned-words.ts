import { BANNED_WORDS, type BannedWord, type Place, WHO } from './banned-words.ts';
import type { Passage } from './read-passages.ts';

export interface Violation {
  readonly line: number;
  readonly word: string;
  readonly use: string;
  /** The name that contains the word, as written; absent in prose. */
  readonly name?: string;
}

interface Matcher {
  readonly pattern: RegExp;
  readonly useOf: (word: string) => string;
}

/** One expression for all words of a kind of passage: a file is scanned once, not once per word. */
function matcherFor(place: Exclude<Place, 'both'>, words: readonly BannedWord[]): Matcher {
  const applied = words.filter((one) => one.place === 'both' || one.place === place);
  const exact = applied.map(({ words, use }) => ({ pattern: new RegExp(`^(?:${words})$`), use }));
  const pattern = new RegExp(`\\b(?:${applied.map(({ words }) => words).join('|')})\\b`, 'g');
  return { pattern, useOf: (word) => exact.find((one) => one.pattern.test(word))?.use ?? '' };
}

const NAMES = matcherFor('names', BANNED_WORDS);
const PROSE = matcherFor('prose', BANNED_WORDS);
const WHO_PATTERN = new RegExp(`\\b(?:${WHO.words})\\b`, 'g');

/** Returns the words of a name in lower case: `RunLease`, `run_lease` and `run-lease` become `run lease`. */
export const wordsOfName = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/[^A-Za-z\d]+/g, ' ')
    .toLowerCase();

/** Prose: lower case, single spaces, names inside it left as they are written. */
const wordsOfProse = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase();

/** Returns every banned word of a passage, in order of appearance. */
export function findBannedWords({ kind, text, line }: Passage): readonly Violation[] {
  const { pattern, useOf } = kind === 'name' ? NAMES : PROSE;
  const words = kind === 'name' ? wordsOfName(text) : wordsOfProse(text);
  const found = (words.match(pattern) ?? []).map((word) => ({ line, word, use: useOf(word) }));
  if (kind === 'name') return found.map((one) => ({ ...one, name: text }));
  return [...found, ...(words.match(WHO_PATTERN) ?? []).map((word) => ({ line, word, use: WHO.use }))];
}
