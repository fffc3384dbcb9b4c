import type { WordRun } from '../domain/page-delta.ts';
import type { Deadline } from './deadline.ts';
import { IdMap, matchSequences } from './sequence-diff.ts';
import { type Token, tokensOf } from './tokens.ts';

/** With more tokens on a side, sentences are aligned first and words only inside them. */
const MAX_TOKENS = 2_000;
/** Fewer equal non-word tokens than this do not separate two edits. */
const MIN_SEPARATING_TOKENS = 3;

/** A range of tokens that is equal or differs. */
export interface TokenRange {
  readonly isEqual: boolean;
  readonly before: readonly Token[];
  readonly after: readonly Token[];
}

export interface WordDiff {
  readonly words: readonly WordRun[];
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
  /** More than white space differs. */
  readonly isChange: boolean;
}

/**
 * Compares two texts in whole words.
 * @throws OutOfTime
 */
export function diffWords(before: string, after: string, deadline: Deadline): WordDiff {
  return diffTokens(tokensOf(before), tokensOf(after), deadline);
}

/** As `diffWords`, for tokenised texts. */
export function diffTokens(before: readonly Token[], after: readonly Token[], deadline: Deadline): WordDiff {
  return wordDiffOf(rangesOf(before, after, deadline));
}

/** Converts aligned ranges to word runs. */
export function wordDiffOf(aligned: readonly TokenRange[]): WordDiff {
  const ranges = joinEdits(aligned.flatMap(splitWhereSpaced));
  const changed = ranges.filter(({ isEqual }) => !isEqual);
  return {
    words: runsOf(ranges),
    wordsAdded: sum(changed.map(({ after }) => wordsIn(after))),
    wordsRemoved: sum(changed.map(({ before }) => wordsIn(before))),
    isChange: changed.length > 0,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const wordsIn = (tokens: readonly Token[]): number => tokens.reduce((words, { isWord }) => words + (isWord ? 1 : 0), 0);

function rangesOf(before: readonly Token[], after: readonly Token[], deadline: Deadline): TokenRange[] {
  if (Math.max(before.length, after.length) <= MAX_TOKENS) return alignBy(before, after, singleTokens, deadline);
  return alignBy(before, after, sentencesOf, deadline).flatMap((range) => {
    if (range.isEqual || range.before.length === 0 || range.after.length === 0) return [range];
    const longest = Math.max(range.before.length, range.after.length);
    return longest > MAX_TOKENS * 2 ? [range] : alignBy(range.before, range.after, singleTokens, deadline);
  });
}

type Splitter = (tokens: readonly Token[]) => Token[][];

const singleTokens: Splitter = (tokens) => tokens.map((token) => [token]);

/** Splits at sentence ends of any script, or at a maximum length. */
const sentencesOf: Splitter = (tokens) => {
  const sentences: Token[][] = [];
  let current: Token[] = [];
  for (const token of tokens) {
    current.push(token);
    if (!/^[.!?;:。！？।؟]$/.test(token.text) && current.length < 200) continue;
    sentences.push(current);
    current = [];
  }
  if (current.length > 0) sentences.push(current);
  return sentences;
};

/** Aligns pieces of two texts, ignoring white space. */
function alignBy(before: readonly Token[], after: readonly Token[], split: Splitter, deadline: Deadline): TokenRange[] {
  const [xs, ys] = [split(before), split(after)];
  const ids = new IdMap();
  const keys = (pieces: Token[][]): string[] => pieces.map((piece) => piece.map(({ text }) => text).join(' '));
  const matches = matchSequences(ids.all(keys(xs)), ids.all(keys(ys)), deadline);
  const ranges: TokenRange[] = [];
  let [x, y] = [0, 0];
  const add = (isEqual: boolean, toX: number, toY: number): void => {
    if (toX > x || toY > y) ranges.push({ isEqual, before: xs.slice(x, toX).flat(), after: ys.slice(y, toY).flat() });
    [x, y] = [toX, toY];
  };
  while (x < xs.length) {
    const match = matches[x] ?? -1;
    if (match === -1 || match > y) {
      const next = nextMatch(matches, x);
      add(false, next, matches[next] ?? ys.length);
      continue;
    }
    let length = 1;
    while (x + length < xs.length && matches[x + length] === match + length) length += 1;
    add(true, x + length, y + length);
  }
  add(false, xs.length, ys.length);
  return ranges;
}

function nextMatch(matches: Int32Array, from: number): number {
  let at = from;
  while (at < matches.length && matches[at] === -1) at += 1;
  return at;
}

/**
 * Treats white space that appeared or disappeared between equal tokens, as in "one,two", as an edit of the second
 * token. The amount of white space and spaces before closing or after opening punctuation are ignored.
 */
function splitWhereSpaced(range: TokenRange): TokenRange[] {
  if (!range.isEqual) return [range];
  const { before, after } = range;
  const split: TokenRange[] = [];
  let from = 0;
  const add = (isEqual: boolean, to: number): void => {
    if (to > from) split.push({ isEqual, before: before.slice(from, to), after: after.slice(from, to) });
    from = to;
  };
  for (let at = 1; at < after.length; at++) {
    if ((before[at]?.space === '') === (after[at]?.space === '')) continue;
    if (CLOSING.test(after[at]?.text ?? '') || OPENING.test(after[at - 1]?.text ?? '')) continue;
    add(true, at);
    add(false, at + 1);
  }
  add(true, after.length);
  return split;
}

const CLOSING = /^[,.;:!?)\]}»”…]$/;
const OPENING = /^[([{«“]$/;

/** Joins edits separated only by punctuation. */
function joinEdits(ranges: readonly TokenRange[]): TokenRange[] {
  const joined: TokenRange[] = [];
  for (const [at, range] of ranges.entries()) {
    const last = joined.at(-1);
    const joins = !range.isEqual || (at < ranges.length - 1 && isSeparatorOnly(range.after));
    if (last === undefined || last.isEqual || !joins) joined.push(range);
    else
      joined[joined.length - 1] = {
        isEqual: false,
        before: [...last.before, ...range.before],
        after: [...last.after, ...range.after],
      };
  }
  return joined;
}

const isSeparatorOnly = (tokens: readonly Token[]): boolean =>
  tokens.length < MIN_SEPARATING_TOKENS && tokens.every(({ isWord }) => !isWord);

/**
 * Returns runs that join, without `-`, to the later text and, without `+`, to the earlier text, including white space.
 */
function runsOf(ranges: readonly TokenRange[]): WordRun[] {
  const runs = new RunWriter();
  for (const { isEqual, before, after } of ranges) {
    if (!isEqual) {
      const [old, now] = [joinedText(before), joinedText(after)];
      // The common leading space is unchanged.
      const space = old.startsWith(' ') && now.startsWith(' ') ? 1 : 0;
      runs.add('=', old.slice(0, space));
      runs.add('-', old.slice(space));
      runs.add('+', now.slice(space));
      continue;
    }
    for (const [at, token] of after.entries()) {
      const space = before[at]?.space ?? '';
      if (space === token.space) runs.add('=', space);
      else {
        runs.add('-', space);
        runs.add('+', token.space);
      }
      runs.add('=', token.text);
    }
  }
  return runs.runs;
}

const joinedText = (tokens: readonly Token[]): string => tokens.map(({ space, text }) => space + text).join('');

/** Merges adjacent runs of one kind. */
class RunWriter {
  readonly runs: WordRun[] = [];

  add(op: WordRun[0], text: string): void {
    if (text === '') return;
    const last = this.runs.at(-1);
    if (last?.[0] === op) this.runs[this.runs.length - 1] = [op, last[1] + text];
    else this.runs.push([op, text]);
  }
}
