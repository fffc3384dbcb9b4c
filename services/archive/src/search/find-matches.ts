import type { Needle, NeedlePart } from './needles.ts';
import { isLetterAt, isWordAt } from './words.ts';

export interface Place {
  readonly from: number;
  readonly to: number;
}

export interface Matches {
  readonly count: number;
  /** The first matches in order, without overlaps. */
  readonly places: readonly Place[];
}

/** Longest gap between two words of a phrase, characters: a line break, a dash, a bracket. */
const GAP_CHARS = 8;
const PLACES = 24;

/** Returns whether a whole word is at this offset. */
const isWhole = (text: string, { text: word, isDense }: NeedlePart, at: number): boolean =>
  isDense || !(isLetterAt(text, at - 1) || isLetterAt(text, at + word.length));

/** Matches a phrase at an offset. @returns the end of the match; undefined without one */
function endOfPhrase(text: string, needle: Needle, at: number): number | undefined {
  const [first, ...rest] = needle.parts;
  if (!isWhole(text, first, at)) return undefined;
  let end = at + first.text.length;
  for (const part of rest) {
    const gapEnd = end + GAP_CHARS;
    while (end < gapEnd && end < text.length && !isWordAt(text, end)) end += 1;
    if (!text.startsWith(part.text, end) || !isWhole(text, part, end)) return undefined;
    end += part.text.length;
  }
  return end;
}

function placesOf(text: string, needle: Needle, most: number): { count: number; places: Place[] } {
  const places: Place[] = [];
  const { text: word } = needle.parts[0];
  let count = 0;
  for (let at = text.indexOf(word); at >= 0; ) {
    const end = endOfPhrase(text, needle, at);
    if (end !== undefined) {
      count += 1;
      if (places.length < most) places.push({ from: at, to: end });
      if (count > most && most === 0) break;
    }
    at = text.indexOf(word, end ?? at + 1);
  }
  return { count, places };
}

/** Matches a folded text: all needles must occur, negated ones must not. @returns the number and offsets of the matches; undefined if it does not match */
export function findMatches(folded: string, needles: readonly Needle[]): Matches | undefined {
  const found: { count: number; places: Place[] }[] = [];
  for (const needle of needles) {
    const one = placesOf(folded, needle, needle.negated ? 0 : PLACES);
    if (one.count > 0 === needle.negated) return undefined;
    if (!needle.negated) found.push(one);
  }
  const places: Place[] = [];
  for (const place of found.flatMap((one) => one.places).sort((a, b) => a.from - b.from || b.to - a.to))
    if (place.from >= (places.at(-1)?.to ?? 0)) places.push(place);
  return { count: found.reduce((sum, one) => sum + one.count, 0), places: places.slice(0, PLACES) };
}
