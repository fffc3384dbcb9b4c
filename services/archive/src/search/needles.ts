import { AppError } from '@tidemark/errors';
import { hashesOf } from './sketch.ts';
import { fold, stretches } from './words.ts';

const MAX_CHARS = 500;
const MAX_NEEDLES = 16;
const MAX_STRETCHES = 32;

/** A word of a needle, folded. */
export interface NeedlePart {
  readonly text: string;
  readonly isDense: boolean;
}

/** A word or a phrase of a search. */
export interface Needle {
  readonly parts: readonly [NeedlePart, ...NeedlePart[]];
  readonly negated: boolean;
  /** Hashes that the sketch of every matching page contains. */
  readonly hashes: readonly number[];
}

const refused = (msg: string): AppError =>
  new AppError('validation', `the search can not be made: ${msg}`, {
    detail: [{ loc: ['body', 'q'], msg, type: 'query_refused' }],
  });

const TERM = /(-?)(?:"([^"]*)"?|([^\s"]+))/g;

/** Parses a search: words, "quoted phrases", and `-` before excluded ones. @throws AppError validation */
export function readNeedles(query: string): Needle[] {
  if (query.length > MAX_CHARS) throw refused(`expected ${MAX_CHARS} characters at most`);
  if ((query.split('"').length - 1) % 2 === 1) throw refused('expected a closing " to the last one');
  const needles: Needle[] = [];
  for (const [, minus, phrase, word] of query.matchAll(TERM)) {
    const needle = toNeedle(phrase ?? word ?? '', minus === '-');
    if (needle !== undefined) needles.push(needle);
    if (needles.length > MAX_NEEDLES) throw refused(`expected ${MAX_NEEDLES} words and phrases at most`);
  }
  if (needles.length === 0) throw refused('expected a word or a "quoted phrase"');
  return needles;
}

/** Parses one word or phrase. @returns undefined if it contains no word, such as a single dash */
function toNeedle(text: string, negated: boolean): Needle | undefined {
  const folded = fold(text.normalize('NFKC'));
  const found = [...stretches(folded)];
  if (found.length > MAX_STRETCHES) throw refused(`expected ${MAX_STRETCHES} words in a phrase at most`);
  const [first, ...more] = found.map(({ from, to, isDense }) => ({ text: folded.slice(from, to), isDense }));
  if (first === undefined) return undefined;
  return { parts: [first, ...more], negated, hashes: found.flatMap((stretch) => hashesOf(folded, stretch)) };
}
