/** Cost of a Unicode class, in instructions: its table has up to 800 ranges, which each instruction adds to the alphabet of the automaton. */
const UNICODE_CLASS = 50;
/** Code points that cost as much as one instruction when a range is expanded to both cases. */
const FOLDED_PER_INSTRUCTION = 256;
const MAX_CODE_POINT = 0x10_ff_ff;

const REPETITION = /\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/y;
const NAMED_GROUP = /\(\?P?<[^>]*>/y;
const FLAGS = /\(\?[a-zA-Z-]*[:)]/y;
const QUOTED = /\\Q(.*?)(?:\\E|$)/sy;
const UNICODE_ESCAPE = /\\[pP](?:\{[^}]*\}|.)?/sy;
const CHARACTER = /\\x\{([0-9a-fA-F]*)\}|\\.|./suy;
const POSIX_CLASS = /\[:.*?:\]/sy;
const IGNORES_CASE = /\(\?[a-zA-Z-]*i/;

/** An open group: the size of its complete alternatives, of the current alternative, and of its last item, which a repetition multiplies. */
interface Group {
  readonly own: number;
  complete: number;
  current: number;
  last: number;
}

/**
 * Returns an upper bound of the instructions that an RE2 expression compiles to, plus the cost of its character classes, without compiling it.
 * Takes time linear in the length of the expression. An expression with a syntax error has some size too.
 */
export function expressionSize(expression: string): number {
  return new SizeScanner(expression).size();
}

class SizeScanner {
  readonly #text: string;
  readonly #ignoresCase: boolean;
  readonly #open: Group[] = [];
  #group: Group = { own: 1, complete: 0, current: 0, last: 0 };
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#ignoresCase = IGNORES_CASE.test(text);
  }

  size(): number {
    while (this.#at < this.#text.length) this.#step();
    while (this.#open.length > 0) this.#closeGroup();
    return sizeOf(this.#group);
  }

  #step(): void {
    const character = this.#text[this.#at] ?? '';
    if (character === '(') this.#openGroup();
    else if (character === '{') this.#repeat();
    else if (character === '[') this.#item(this.#readClass());
    else if (character === '\\') this.#escape();
    else this.#stepOver(character);
  }

  #stepOver(character: string): void {
    this.#at += 1;
    if (character === ')') this.#closeGroup();
    else if (character === '|') this.#endAlternative();
    else if (character === '*' || character === '+' || character === '?') this.#group.last += 2;
    else this.#item(1);
  }

  #openGroup(): void {
    const flags = this.#read(FLAGS)?.[0];
    if (flags?.endsWith(')') === true) return;
    if (flags === undefined && this.#read(NAMED_GROUP) === undefined) this.#at += 1;
    this.#open.push(this.#group);
    this.#group = { own: flags === undefined ? 2 : 0, complete: 0, current: 0, last: 0 };
  }

  #closeGroup(): void {
    const outer = this.#open.pop();
    if (outer === undefined) return;
    const size = sizeOf(this.#group);
    this.#group = outer;
    this.#item(size);
  }

  #endAlternative(): void {
    const { complete, current, last } = this.#group;
    this.#group.complete = complete + Math.max(1, current + last) + 1;
    this.#group.current = 0;
    this.#group.last = 0;
  }

  #item(size: number): void {
    this.#group.current += this.#group.last;
    this.#group.last = size;
  }

  #repeat(): void {
    const found = this.#read(REPETITION);
    if (found === undefined) {
      this.#stepOver('{');
      return;
    }
    const [, least, range, most] = found;
    const min = Number(least);
    const max = range === undefined || most === undefined ? min : Number(most);
    this.#group.last = Math.max(max, 1) * this.#group.last + Math.max(max - min, 0) + 2;
  }

  #escape(): void {
    const quoted = this.#read(QUOTED)?.[1];
    if (quoted !== undefined) {
      for (let i = 0; i < quoted.length; i += 1) this.#item(1);
    } else if (this.#read(UNICODE_ESCAPE) !== undefined) {
      this.#item(UNICODE_CLASS);
    } else {
      this.#read(CHARACTER);
      this.#item(1);
    }
  }

  /** Reads a character class. A closing bracket in first place is a member. */
  #readClass(): number {
    this.#at += this.#text[this.#at + 1] === '^' ? 2 : 1;
    let size = 1;
    for (let isFirst = true; this.#at < this.#text.length; isFirst = false) {
      if (this.#text[this.#at] === ']' && !isFirst) {
        this.#at += 1;
        break;
      }
      if (this.#read(POSIX_CLASS) !== undefined) continue;
      size += this.#read(UNICODE_ESCAPE) === undefined ? this.#readRange() : UNICODE_CLASS;
    }
    return size;
  }

  /** Reads one character or range of a class. @returns the cost of its case folding */
  #readRange(): number {
    const low = this.#readCharacter(0);
    if (this.#text[this.#at] !== '-' || this.#text[this.#at + 1] === ']') return 0;
    this.#at += 1;
    const high = this.#readCharacter(MAX_CODE_POINT);
    return this.#ignoresCase ? Math.max(0, high - low) / FOLDED_PER_INSTRUCTION : 0;
  }

  /** Returns the code point of a class member, or `otherwise` for an escape that is not a hexadecimal code point. */
  #readCharacter(otherwise: number): number {
    const [character = '', hex] = this.#read(CHARACTER) ?? [];
    if (hex !== undefined) return Math.min(Number.parseInt(hex, 16), MAX_CODE_POINT);
    return character.startsWith('\\') ? otherwise : (character.codePointAt(0) ?? otherwise);
  }

  #read(syntax: RegExp): RegExpExecArray | undefined {
    syntax.lastIndex = this.#at;
    const found = syntax.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at = syntax.lastIndex;
    return found;
  }
}

const sizeOf = ({ own, complete, current, last }: Group): number => own + complete + Math.max(1, current + last);
