import { integerOf, type Random } from '../shared/random.ts';

const FREQUENT =
  'the of and to in a is that for it as was with be by on not this are or from at which have has its also after before more than each between under over when where'.split(
    ' ',
  );
const NOUNS =
  'harbour gauge record station estuary channel sensor mooring reading season storm pressure sample report chart depth buoy anchor signal method forecast vessel cargo berth crane permit office budget board review schedule contract supplier warehouse inspection audit training manual section clause notice annex register archive library catalogue index edition volume reader member council region district bridge tunnel quarry orchard meadow valley ridge basin reservoir turbine panel meter valve pump filter circuit module adapter cable antenna relay'.split(
    ' ',
  );
const VERBS =
  'measures reports records covers includes requires describes follows replaces extends limits supports confirms compares collects delivers approves updates checks closes opens lists explains reduces raises shows keeps moves joins divides'.split(
    ' ',
  );
const ADJECTIVES =
  'northern annual public local technical steady narrow regional monthly final general shallow heavy modern separate common early coastal internal external formal regular complete partial'.split(
    ' ',
  );

const of = (next: Random, words: readonly string[]): string => words[Math.floor(next() * words.length)] ?? '';

const wordOf = (next: Random): string => {
  const kind = next();
  if (kind < 0.42) return of(next, FREQUENT);
  if (kind < 0.72) return of(next, NOUNS);
  return of(next, kind < 0.86 ? VERBS : ADJECTIVES);
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const wordsOf = (next: Random, count: number): string =>
  Array.from({ length: count }, () => wordOf(next)).join(' ');

export const sentenceOf = (next: Random): string =>
  `${capital(`the ${of(next, ADJECTIVES)} ${of(next, NOUNS)} ${of(next, VERBS)} ${wordsOf(next, integerOf(next, 5, 14))}`)}.`;

export const paragraphOf = (next: Random): string =>
  Array.from({ length: integerOf(next, 2, 5) }, () => sentenceOf(next)).join(' ');

/** Returns a heading of three to five words that reads like one. */
export const headingOf = (next: Random): string =>
  capital(`${of(next, ADJECTIVES)} ${of(next, NOUNS)} ${of(next, NOUNS)} ${of(next, ADJECTIVES)} ${of(next, NOUNS)}`);

export const slugOf = (next: Random): string => `${of(next, ADJECTIVES)}-${of(next, NOUNS)}-${of(next, NOUNS)}`;
