/** Characters of a word that are indexed. Shorter words would prevent skipping. */
const WINDOW = 5;
const BITS = 6;
const MASK = (1 << BITS) - 1;

const NONE: readonly never[] = [];

/** Ignores case: only the low bits of a letter count. */
const pairOf = (first: number, second: number): number => ((first & MASK & ~32) << BITS) | (second & MASK & ~32);

/** Returns the low bits of five characters. Words with equal bits are compared as text. */
function startKeyOf(text: string, from: number): number {
  let key = 0;
  for (let at = from; at < from + WINDOW; at++) key = (key << BITS) | (text.charCodeAt(at) & MASK & ~32);
  return key;
}

/**
 * Finds which of many words a text contains, ignoring case, in one pass that skips most characters (Wu and Manber, "A
 * fast algorithm for multi-pattern searching", 1994). Words need at least five ASCII characters.
 */
export class WordSearch {
  readonly #shifts = new Uint8Array(1 << (BITS * 2)).fill(WINDOW - 1);
  /** By the low bits of their first five characters: most windows are rejected without a copy of the text. */
  readonly #wordsByStart = new Map<number, { word: string; group: number }[]>();

  /** `wordGroups[n]` lists the words of group `n`. */
  constructor(wordGroups: readonly (readonly string[])[]) {
    for (const [group, words] of wordGroups.entries()) for (const word of words) this.#add(word.toLowerCase(), group);
  }

  /** Adds the groups that have a word in `text`. */
  search(text: string, found: Set<number>): void {
    const shifts = this.#shifts;
    for (let at = WINDOW - 1; at < text.length; ) {
      const shift = shifts[pairOf(text.charCodeAt(at - 1), text.charCodeAt(at))] ?? 0;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const from = at - WINDOW + 1;
      for (const { word, group } of this.#wordsByStart.get(startKeyOf(text, from)) ?? NONE)
        if (text.slice(from, from + word.length).toLowerCase() === word) found.add(group);
      at++;
    }
  }

  #add(word: string, group: number): void {
    const start = word.slice(0, WINDOW);
    if (start.length < WINDOW) throw new RangeError(`the word "${word}" has fewer than ${WINDOW} characters`);
    for (let at = 1; at < WINDOW; at++) {
      const pair = pairOf(start.charCodeAt(at - 1), start.charCodeAt(at));
      this.#shifts[pair] = Math.min(this.#shifts[pair] ?? 0, WINDOW - 1 - at);
    }
    const key = startKeyOf(start, 0);
    this.#wordsByStart.set(key, [...(this.#wordsByStart.get(key) ?? []), { word, group }]);
  }
}

/** Returns the literal prefix of each alternative of a pattern. Every match contains one of them. */
export function literalPrefixesOf(pattern: RegExp): string[] {
  const alternatives: string[] = [];
  let depth = 0;
  let from = 0;
  const { source } = pattern;
  for (let at = 0; at <= source.length; at++) {
    const mark = source[at];
    if (mark === '\\') at++;
    else if (mark === '(') depth++;
    else if (mark === ')') depth--;
    else if (mark === undefined || (mark === '|' && depth === 0)) {
      alternatives.push(source.slice(from, at));
      from = at + 1;
    }
  }
  return alternatives.map(literalPrefix);
}

function literalPrefix(alternative: string): string {
  const plain = /^(?:[^\\()[\]{}.*+?|^$]|\\[^\w]|\\n)*/.exec(alternative)?.[0] ?? '';
  const letters = plain.replaceAll('\\n', '\n').replace(/\\(.)/g, '$1');
  // A character before a quantifier is optional.
  return /^[?*{]/.test(alternative.slice(plain.length)) ? letters.slice(0, -1) : letters;
}
