/** Characters of a needle that are looked for; shorter needles would not let the search skip. */
const WINDOW = 5;
const BITS = 6;
const MASK = (1 << BITS) - 1;

const NONE: readonly never[] = [];

/** Both cases of a letter fall together: only their low bits count. */
const pairOf = (first: number, second: number): number => ((first & MASK & ~32) << BITS) | (second & MASK & ~32);

/**
 * Finds which of many words a text may hold, whatever their case, in one pass that skips most of its characters (Wu and
 * Manber, "A fast algorithm for multi-pattern searching", 1994). Words have five ASCII characters at least.
 */
export class WordSearch {
  readonly #shifts = new Uint8Array(1 << (BITS * 2)).fill(WINDOW - 1);
  /** By their first five characters. */
  readonly #wordsByStart = new Map<string, { word: string; group: number }[]>();

  /** `needles[n]` are the words of which at least one is in any text that owner `n` is interested in. */
  constructor(wordGroups: readonly (readonly string[])[]) {
    for (const [group, words] of wordGroups.entries()) for (const word of words) this.#add(word.toLowerCase(), group);
  }

  /** Adds the owners of the words that `text` may hold. */
  search(text: string, found: Set<number>): void {
    const shifts = this.#shifts;
    for (let at = WINDOW - 1; at < text.length; ) {
      const shift = shifts[pairOf(text.charCodeAt(at - 1), text.charCodeAt(at))] ?? 0;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const from = at - WINDOW + 1;
      for (const { word, group } of this.#wordsByStart.get(text.slice(from, at + 1).toLowerCase()) ?? NONE)
        if (text.slice(from, from + word.length).toLowerCase() === word) found.add(group);
      at++;
    }
  }

  #add(word: string, group: number): void {
    const start = word.slice(0, WINDOW);
    if (start.length < WINDOW) throw new RangeError(`"${word}" is too short to be looked for`);
    for (let at = 1; at < WINDOW; at++) {
      const pair = pairOf(start.charCodeAt(at - 1), start.charCodeAt(at));
      this.#shifts[pair] = Math.min(this.#shifts[pair] ?? 0, WINDOW - 1 - at);
    }
    this.#wordsByStart.set(start, [...(this.#wordsByStart.get(start) ?? []), { word, group }]);
  }
}

/** The plain characters each alternative of a pattern begins with, one of which is in whatever it matches. */
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
  // What a quantifier follows may not be there.
  return /^[?*{]/.test(alternative.slice(plain.length)) ? letters.slice(0, -1) : letters;
}
