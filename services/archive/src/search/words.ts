/** Class of a character in a search. */
const NOTHING = 1;
/** Part of a word of a script with spaces between words. */
const LETTER = 2;
/** Character of a script that is written without spaces. A word may start and end at any such character. */
const DENSE = 3;

const IS_DENSE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]$/u;
const IS_WORD = /^[\p{L}\p{N}\p{M}]$/u;

/** Cache of the classes by code unit. */
const classes = new Uint8Array(65_536);

function classify(char: string): number {
  if (IS_DENSE.test(char)) return DENSE;
  return IS_WORD.test(char) ? LETTER : NOTHING;
}

function classAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const known = classes[unit];
  if (known !== undefined && known !== 0) return known;
  // Both units of a surrogate pair have the class of the character.
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

/** Returns composed text without case. Its length is that of the text, except for a few characters. */
export const fold = (composed: string): string => composed.toLowerCase().replaceAll('ς', 'σ');

/** A part of a folded text: a word, or a run of a script without blanks. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly isDense: boolean;
}

/** Returns the words of a folded text in order. */
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
/** Keeps hashes in the range of small integers: V8's sets of larger ones are five times slower. */
const HASH_MASK = 0x3fffffff;

/** FNV-1a over code units. */
export function hashOf(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5;
  const end = Math.min(to, from + WORD_CHARS);
  for (let at = from; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & HASH_MASK;
}

/** Adds the hash of the word of letters that begins at `from`: `hashOf`, in the pass that finds its end. @returns its end */
function addWord(folded: string, from: number, seen: Set<number>): number {
  let hash = 0x811c9dc5;
  const end = from + WORD_CHARS;
  let at = from;
  for (; at < folded.length && classAt(folded, at) === LETTER; at += 1)
    if (at < end) hash = Math.imul(hash ^ folded.charCodeAt(at), 0x01000193);
  seen.add((hash ^ (hash >>> 15)) & HASH_MASK);
  return at;
}

/** Adds the hashes of the words of a folded text, and of every one and two units of a script without blanks. */
export function addWords(folded: string, seen: Set<number>): void {
  for (let at = 0; at < folded.length; ) {
    const kind = classAt(folded, at);
    const from = at;
    if (kind === LETTER) at = addWord(folded, from, seen);
    else {
      at += 1;
      if (kind !== DENSE) continue;
      seen.add(hashOf(folded, from, at));
      if (at < folded.length && classAt(folded, at) === DENSE) seen.add(hashOf(folded, from, at + 1));
    }
  }
}
