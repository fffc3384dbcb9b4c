import type { Excerpt } from '@tidemark/contracts/archive/v1/archive';
import type { Place } from './find-matches.ts';

const EXCERPTS = 3;
/** Characters of an excerpt before and after a match. */
const AROUND = 80;
const MOST_CHARS = 400;

const isBlankAt = (text: string, at: number): boolean => /\s/.test(text[at] ?? ' ');
const isLowHalfAt = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

/** Returns an offset to cut at: between words if a boundary is near, never within a surrogate pair. */
function cutNear(text: string, at: number, towards: 1 | -1): number {
  for (let near = at; Math.abs(near - at) < 20 && near > 0 && near < text.length; near += towards)
    if (isBlankAt(text, near)) return near;
  return isLowHalfAt(text, at) ? at + 1 : at;
}

/** Returns a few excerpts of a text, one line each, with the offsets of their matches. Matches that are close share an excerpt. */
export function makeExcerpts(text: string, places: readonly Place[]): Excerpt[] {
  const excerpts: Excerpt[] = [];
  for (let i = 0; i < places.length && excerpts.length < EXCERPTS; ) {
    const first = places[i];
    if (first === undefined) break;
    const from = first.from <= AROUND ? 0 : cutNear(text, first.from - AROUND, 1);
    const within: Place[] = [];
    let to = first.to;
    for (; i < places.length; i += 1) {
      const place = places[i];
      if (place === undefined || (within.length > 0 && place.to > Math.min(first.to + AROUND, from + MOST_CHARS)))
        break;
      within.push(place);
      to = place.to;
    }
    const end = to + AROUND >= text.length ? text.length : cutNear(text, to + AROUND, -1);
    excerpts.push(oneLine(text.slice(from, Math.max(end, to)), from, within));
  }
  return excerpts;
}

/** Collapses white space to single blanks and moves the offsets of the matches accordingly. */
function oneLine(text: string, offset: number, places: readonly Place[]): Excerpt {
  let line = '';
  let at = 0;
  const append = (to: number): number => {
    const piece = text.slice(at, to).replace(/\s+/g, ' ');
    line += line === '' || line.endsWith(' ') ? piece.replace(/^ /, '') : piece;
    at = to;
    return line.length;
  };
  const marks = places.flatMap(({ from, to }) => [append(from - offset), append(to - offset)]);
  append(text.length);
  return { text: line.trimEnd(), marks };
}
