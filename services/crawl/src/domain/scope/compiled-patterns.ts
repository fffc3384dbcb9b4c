import { LRUCache } from 'lru-cache';
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

/**
 * The compiled pattern lists of this process, shared by all users of the same list: a run's orchestrator, the recording of its pages and previews.
 * Evicts the least recently used lists above `maxBytes`; a list that is used again is compiled again.
 */
export class CompiledPatterns {
  readonly #lists: LRUCache<string, MatchText>;
  /** Number of compilations, for tests. */
  compilations = 0;

  constructor(maxBytes: number) {
    this.#lists = new LRUCache({ maxSize: maxBytes });
  }

  /** Upper bound of the memory of the lists kept, bytes. */
  get bytes(): number {
    return this.#lists.calculatedSize;
  }

  /** Returns the automaton of a list. `size`: its instructions. @throws InvalidExpression */
  get(key: string, expressions: readonly string[], size: number): MatchText {
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const match = compileSet(expressions);
    this.compilations += 1;
    // The cache accepts whole numbers only; the size of a class that ignores case is an estimate with a fraction.
    this.#lists.set(key, match, { size: Math.ceil(size * INSTRUCTION_BYTES) + stateBytes(expressions.length) });
    return match;
  }
}
