import { queryError } from './query-error.ts';

export const MAX_QUERY_CHARS = 1_000;
export const MAX_TERMS = 32;

/** A part of a value: its text without the quotes. */
export interface Part {
  readonly text: string;
  readonly quoted: boolean;
  /** Column of its first character, from 1. */
  readonly column: number;
}

/** One term of a query (`-field:value`, a word or a phrase) in its parts, not yet interpreted. */
export interface Term {
  readonly negated: boolean;
  readonly column: number;
  /** Undefined: a word or phrase. */
  readonly field: string | undefined;
  /** The values after the colon, separated by commas; without a field, the word or phrase. Never empty. */
  readonly parts: readonly [Part, ...Part[]];
}

const isBlank = (char: string): boolean => /\s/.test(char);

/** Reads one query from left to right. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get column(): number {
    return this.#at + 1;
  }

  get next(): string {
    return this.#text[this.#at] ?? '';
  }

  get isDone(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Returns whether the current term ends here. */
  get isTermDone(): boolean {
    return this.isDone || isBlank(this.next);
  }

  skipBlanks(): void {
    while (!this.isDone && isBlank(this.next)) this.#at += 1;
  }

  take(char: string): boolean {
    if (this.next !== char) return false;
    this.#at += 1;
    return true;
  }

  /** Reads text up to a blank or one of these characters. */
  bare(stops: string): string {
    const from = this.#at;
    while (!this.isTermDone && !stops.includes(this.next)) this.#at += 1;
    return this.#text.slice(from, this.#at);
  }

  quoted(): string {
    const column = this.column;
    this.#at += 1;
    const end = this.#text.indexOf('"', this.#at);
    if (end < 0) throw queryError(column, 'expected a closing " to the one that opens here');
    const text = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return text;
  }
}

function readPart(reader: Reader): Part {
  const { column } = reader;
  if (reader.next !== '"') return { text: reader.bare(',"'), quoted: false, column };
  const text = reader.quoted();
  if (text.trim() === '') throw queryError(column, 'expected something between the quotes');
  return { text, quoted: true, column };
}

/** Parts of a value: `a,b,"c d"`, or `>` before a quoted one. */
function readParts(reader: Reader): [Part, ...Part[]] {
  const parts: Part[] = [];
  do {
    const part = readPart(reader);
    if (part.text === '') throw queryError(part.column, 'expected a value');
    // A comparison may stand before a quoted value.
    if (!part.quoted && reader.next === '"') {
      const rest = readPart(reader);
      parts.push({ text: part.text + rest.text, quoted: false, column: part.column });
    } else parts.push(part);
    if (!reader.isTermDone && reader.next !== ',')
      throw queryError(reader.column, 'expected a space, or a comma before another value');
  } while (reader.take(','));
  const [first, ...more] = parts;
  if (first === undefined) throw queryError(reader.column, 'expected a value');
  return [first, ...more];
}

function readTerm(reader: Reader): Term {
  const { column } = reader;
  const negated = reader.take('-');
  if (reader.isTermDone) throw queryError(reader.column, 'expected a word, a phrase or field:value after -');
  if (reader.next === '"') {
    const part = readPart(reader);
    if (!reader.isTermDone) throw queryError(reader.column, 'expected a space after the closing "');
    return { negated, column, field: undefined, parts: [part] };
  }
  const start = reader.column;
  const text = reader.bare(':"');
  if (reader.next === '"') throw queryError(reader.column, 'expected a space before "');
  if (!reader.take(':')) return { negated, column, field: undefined, parts: [{ text, quoted: false, column: start }] };
  if (text === '') throw queryError(start, 'expected the name of a field before the colon');
  if (reader.isTermDone) throw queryError(reader.column, `expected a value after ${text}:`);
  return { negated, column: start, field: text, parts: readParts(reader) };
}

/** Splits a query into its terms. @throws AppError validation, with the column */
export function tokenize(query: string): Term[] {
  if (query.length > MAX_QUERY_CHARS)
    throw queryError(MAX_QUERY_CHARS + 1, `expected ${MAX_QUERY_CHARS} characters at most`);
  // PostgreSQL does not accept the character NUL.
  const nul = query.indexOf('\0');
  if (nul >= 0) throw queryError(nul + 1, 'expected text');
  const reader = new Reader(query);
  const terms: Term[] = [];
  for (reader.skipBlanks(); !reader.isDone; reader.skipBlanks()) {
    if (terms.length === MAX_TERMS) throw queryError(reader.column, `expected ${MAX_TERMS} terms at most`);
    terms.push(readTerm(reader));
  }
  return terms;
}
