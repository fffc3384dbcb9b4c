import { setImmediate } from 'node:timers/promises';

/** Characters that are written before the event loop gets a turn: about a millisecond. */
const CHARS_PER_TURN = 256 * 1024;
/** Elements of a list that are written at once. */
const ELEMENTS = 500;
/** Depth up to which the parts of a value are written one by one; a page row is at depth 2. */
const MAX_DEPTH = 4;

/** Serialises a value as JSON. A large one is written in pieces, so that it does not delay other requests. */
export async function toJson(value: unknown): Promise<Buffer> {
  if (!isLarge(value)) return Buffer.from(JSON.stringify(value));
  const written: Buffer[] = [];
  let piece = '';
  for (const text of piecesOf(value, 0)) {
    piece += text;
    if (piece.length < CHARS_PER_TURN) continue;
    written.push(Buffer.from(piece));
    piece = '';
    await setImmediate();
  }
  written.push(Buffer.from(piece));
  return Buffer.concat(written);
}

/** Returns whether the strings of a value, down to the fields of a row in a list, are longer than one turn writes. */
function isLarge(value: unknown): boolean {
  let left = CHARS_PER_TURN;
  const count = (part: unknown, depth: number): void => {
    if (typeof part === 'string') left -= part.length;
    if (typeof part !== 'object' || part === null || left <= 0) return;
    if (Array.isArray(part)) left -= part.length * 16;
    if (depth > 3) return;
    for (const inner of Object.values(part)) {
      if (left <= 0) return;
      count(inner, depth + 1);
    }
  };
  count(value, 0);
  return left <= 0;
}

function* piecesOf(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string') yield* piecesOfString(value);
  else if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || 'toJSON' in value)
    yield JSON.stringify(value) ?? 'null';
  else if (Array.isArray(value)) yield* piecesOfList(value, depth);
  else {
    let separator = '{';
    for (const [key, inner] of Object.entries(value)) {
      if (inner === undefined || typeof inner === 'function') continue;
      yield `${separator}${JSON.stringify(key)}:`;
      yield* piecesOf(inner, depth + 1);
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  }
}

function* piecesOfList(list: readonly unknown[], depth: number): Generator<string> {
  // Rows are few and have long fields; links are many and short.
  if (list.length > ELEMENTS) {
    for (let from = 0; from < list.length; from += ELEMENTS)
      yield `${from === 0 ? '[' : ','}${JSON.stringify(list.slice(from, from + ELEMENTS)).slice(1, -1)}`;
    yield ']';
    return;
  }
  yield '[';
  for (const [at, inner] of list.entries()) {
    if (at > 0) yield ',';
    yield* piecesOf(inner, depth + 1);
  }
  yield ']';
}

/** A surrogate pair that is cut is written as two escapes, which a parser joins again (RFC 8259 section 7). */
function* piecesOfString(text: string): Generator<string> {
  if (text.length <= CHARS_PER_TURN) return yield JSON.stringify(text);
  yield '"';
  for (let from = 0; from < text.length; from += CHARS_PER_TURN)
    yield JSON.stringify(text.slice(from, from + CHARS_PER_TURN)).slice(1, -1);
  yield '"';
}
