/** What a character is to a search. */
const NOTHING = 1;
/** Part of a word that others separate by blanks. */
const LETTER = 2;
/** Part of a script that is written without blanks: any stretch of it may be a word. */
const DENSE = 3;

const IS_DENSE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]$/u;
const IS_WORD = /^[\p{L}\p{N}\p{M}]$/u;

/** By code unit, once each has been met. */
const classes = new Uint8Array(65_536);

function classify(char: string): number {
  if (IS_DENSE.test(char)) return DENSE;
  return IS_WORD.test(char) ? LETTER : NOTHING;
}

function classAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const known = classes[unit];
  if (known !== undefined && known !== 0) return known;
  // A pair of code units is one character: both halves are what it is.
  if (unit >= 0xd800 && unit <= 0xdfff) {
    const point = text.codePointAt(unit >= 0xdc00 ? at - 1 : at) ?? 0;
    return point > 0xffff ? classify(String.fromCodePoint(point)) : NOTHING;
  }
  const found = classify(String.fromCharCode(unit));
  classes[unit] = found;
  return found;
}

export const isLetterAt = (text: string, at: number): boolean =>
  at >= 0 && at < text.length && classAt(text, at) === LETTER;
export const isWordAt = (text: string, at: number): boolean =>
  at >= 0 && at < text.length && classAt(text, at) !== NOTHING;

/** Composed text as it is compared: no case. As long as the text it is of, but for a handful of characters. */
export const fold = (composed: string): string => composed.toLowerCase().replaceAll('ς', 'σ');

/** A stretch of a folded text: a word, or writing without blanks. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly isDense: boolean;
}

/** The words of a folded text, in order. */
export function* stretches(folded: string): Generator<Stretch> {
  for (let at = 0; at < folded.length; ) {
    const kind = classAt(folded, at);
    const from = at;
    for (at += 1; at < folded.length && classAt(folded, at) === kind; at += 1);
    if (kind !== NOTHING) yield { from, to: at, isDense: kind === DENSE };
  }
}

/** Significant length of a word, characters. */
const WORD_CHARS = 64;
/** Small integers alone: sets of larger ones take five times as long. */
const HASH_MASK = 0x3fffffff;

/** FNV-1a over code units. */
export function hashOf(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5;
  const end = Math.min(to, from + WORD_CHARS);
  for (let at = from; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & HASH_MASK;
}

/** Adds the hashes of what a folded text says: words, and each one and two units of writing without blanks. */
export function addWords(folded: string, seen: Set<number>): void {
  for (let at = 0; at < folded.length; ) {
    const kind = classAt(folded, at);
    const from = at;
    if (kind === LETTER) {
      let hash = 0x811c9dc5;
      const end = from + WORD_CHARS;
      for (; at < folded.length && classAt(folded, at) === LETTER; at += 1)
        if (at < end) hash = Math.imul(hash ^ folded.charCodeAt(at), 0x01000193);
      seen.add((hash ^ (hash >>> 15)) & HASH_MASK);
    } else {
      at += 1;
      if (kind !== DENSE) continue;
      seen.add(hashOf(folded, from, at));
      if (at < folded.length && classAt(folded, at) === DENSE) seen.add(hashOf(folded, from, at + 1));
    }
  }
}
