import { RE2Set } from 're2js';

/** Returns the indexes of the matching expressions, in order. */
export type MatchText = (text: string) => readonly number[];

/** An expression that the engine rejects. */
export class InvalidExpression extends Error {
  readonly at: number;

  constructor(at: number, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.at = at;
  }
}

/** Memory limits for the automaton states of a set, bytes: more states save time with more expressions only. */
const FEW_EXPRESSIONS = 32;
const FEW_BYTES = 1024 * 1024;
const MANY_BYTES = 2 * 1024 * 1024;
/** Measured bytes per instruction of a compiled set. */
const INSTRUCTION_BYTES = 220;

/** Compiles expressions into one automaton. @throws InvalidExpression */
function compileSet(expressions: readonly string[]): MatchText {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, stateBytes(expressions.length));
  for (const [at, expression] of expressions.entries()) {
    try {
      set.add(expression);
    } catch (error) {
      throw new InvalidExpression(at, error);
    }
  }
  set.compile();
  // The syntax trees are not used after compilation and take half of the memory.
  set.regexps = [];
  return (text) => set.match(text);
}

const stateBytes = (expressions: number): number => (expressions <= FEW_EXPRESSIONS ? FEW_BYTES : MANY_BYTES);

interface CompiledList {
  readonly match: MatchText;
  readonly bytes: number;
}

/**
 * The compiled pattern lists of this process, shared by all users of the same list: a run's orchestrator, the recording of its pages and previews.
 * Evicts the least recently used lists above `maxBytes`; a list that is used again is compiled again.
 */
export class CompiledPatterns {
  readonly #maxBytes: number;
  readonly #lists = new Map<string, CompiledList>();
  #bytes = 0;
  #newest = '';
  /** Number of compilations, for tests. */
  compilations = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Upper bound of the memory of the lists kept, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the automaton of a list. `size`: its instructions. @throws InvalidExpression */
  get(key: string, expressions: readonly string[], size: number): MatchText {
    const known = this.#lists.get(key);
    if (known !== undefined) {
      if (key !== this.#newest) this.#moveToEnd(key, known);
      return known.match;
    }
    const match = compileSet(expressions);
    this.compilations += 1;
    const bytes = size * INSTRUCTION_BYTES + stateBytes(expressions.length);
    this.#moveToEnd(key, { match, bytes });
    this.#bytes += bytes;
    this.#evict();
    return match;
  }

  #moveToEnd(key: string, list: CompiledList): void {
    this.#lists.delete(key);
    this.#lists.set(key, list);
    this.#newest = key;
  }

  #evict(): void {
    for (const [key, { bytes }] of this.#lists) {
      if (this.#bytes <= this.#maxBytes || key === this.#newest) return;
      this.#lists.delete(key);
      this.#bytes -= bytes;
    }
  }
}
