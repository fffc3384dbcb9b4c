/** A piece of a source file that a person reads. */
export interface Piece {
  readonly kind: 'comment' | 'string' | 'name';
  readonly text: string;
  readonly offset: number;
  /** The last 40 characters of code before the piece, without comments; one space before each name. */
  readonly before: string;
}

const BEFORE_CHARS = 40;
const NAME_START = /[A-Za-z_$#]/;
const NAME_REST = /[\w$]*/y;
const NUMBER = /[\w.]+/y;
/** After these a slash begins a regular expression, not a division. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|of|in|do|else|await|yield))$/;

/**
 * Splits TypeScript, JavaScript or protobuf text into comments, string contents and names. Skips regular expressions and
 * numbers. A template literal yields one string per part between its holes; the code in the holes is scanned too.
 */
export const scanSource = (text: string): readonly Piece[] => new SourceScanner(text).scan();

class SourceScanner {
  readonly #text: string;
  readonly #pieces: Piece[] = [];
  /** One entry per open template literal: how many braces are open inside the hole being read. */
  readonly #holes: number[] = [];
  #before = '';

  constructor(text: string) {
    this.#text = text;
  }

  scan(): readonly Piece[] {
    for (let at = 0; at < this.#text.length; ) at = this.#token(at);
    return this.#pieces;
  }

  /** Reads the token at `at` and returns the offset after it, as all methods below do. */
  #token(at: number): number {
    const char = this.#text.charAt(at);
    const next = this.#text[at + 1];
    if (/\s/.test(char)) return at + 1;
    if (char === '/' && next === '/') return this.#comment(at + 2, '\n');
    if (char === '/' && next === '*') return this.#comment(at + 2, '*/');
    if (char === '/' && BEFORE_REGEX.test(this.#before)) return this.#regex(at + 1);
    if (char === '`') return this.#template(at + 1);
    if (char === "'" || char === '"') return this.#string(at + 1, char);
    if (NAME_START.test(char)) return this.#name(at);
    if (char >= '0' && char <= '9') return this.#number(at);
    if (char === '{' || char === '}') return this.#brace(at, char);
    this.#code(char);
    return at + 1;
  }

  #comment(from: number, end: string): number {
    const found = this.#text.indexOf(end, from);
    const to = found === -1 ? this.#text.length : found;
    this.#add('comment', from, to);
    return to + end.length;
  }

  #string(from: number, quote: string): number {
    let to = from;
    while (to < this.#text.length && this.#text[to] !== quote && this.#text[to] !== '\n') to += this.#charsAt(to);
    this.#add('string', from, to);
    this.#code(quote);
    return to + 1;
  }

  /** Reads a template literal from `from` up to its next hole or its end. */
  #template(from: number): number {
    const isHole = (to: number): boolean => this.#text.startsWith('${', to);
    let to = from;
    while (to < this.#text.length && this.#text[to] !== '`' && !isHole(to)) to += this.#charsAt(to);
    this.#add('string', from, to);
    this.#code('`');
    if (!isHole(to)) return to + 1;
    this.#holes.push(0);
    return to + 2;
  }

  #brace(at: number, char: '{' | '}'): number {
    this.#code(char);
    const open = this.#holes.pop();
    if (open === undefined) return at + 1;
    if (char === '}' && open === 0) return this.#template(at + 1);
    this.#holes.push(open + (char === '{' ? 1 : -1));
    return at + 1;
  }

  #regex(from: number): number {
    let isClass = false;
    let to = from;
    while (to < this.#text.length && this.#text[to] !== '\n' && (isClass || this.#text[to] !== '/')) {
      if (this.#text[to] === '[') isClass = true;
      else if (this.#text[to] === ']') isClass = false;
      to += this.#charsAt(to);
    }
    this.#code('0');
    return this.#end(NAME_REST, to + 1);
  }

  #name(from: number): number {
    const to = this.#end(NAME_REST, from + 1);
    this.#add('name', from, to);
    this.#code(` ${this.#text.slice(from, to)}`);
    return to;
  }

  #number(from: number): number {
    this.#code('0');
    return this.#end(NUMBER, from);
  }

  /** The offset where a sticky pattern that begins at `from` ends. */
  #end(pattern: RegExp, from: number): number {
    pattern.lastIndex = from;
    return pattern.test(this.#text) ? pattern.lastIndex : from;
  }

  #charsAt(at: number): 1 | 2 {
    return this.#text[at] === '\\' ? 2 : 1;
  }

  #code(read: string): void {
    this.#before = (this.#before + read).slice(-BEFORE_CHARS);
  }

  #add(kind: Piece['kind'], from: number, to: number): void {
    if (to > from) this.#pieces.push({ kind, text: this.#text.slice(from, to), offset: from, before: this.#before });
  }
}
