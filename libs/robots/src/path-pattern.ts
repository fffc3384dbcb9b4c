/** A path of an allow or disallow line, compiled. */
export interface PathPattern {
  /** Texts between the wildcards; a path starts with the first. */
  readonly parts: readonly string[];
  /** The path ends with the last part. */
  readonly isAnchored: boolean;
  /** The length that decides between rules (RFC 9309 2.2.2), in characters of the normalized pattern. */
  readonly length: number;
}

/** Characters that URLs hold percent-encoded and robots.txt files often as they are. */
const UNENCODED = /[^\x21-\x7e]|["<>^`{|}]/gu;

/**
 * Returns a path in the form in which paths and patterns are compared: UTF-8 percent-encoded, with upper-case escapes (RFC 9309 2.2.2).
 * Escapes are not decoded.
 */
export const normalizePath = (path: string): string =>
  path.replace(UNENCODED, encodeCharacter).replace(/%[\da-f]{2}/gi, (encoded) => encoded.toUpperCase());

/** A lone surrogate has no UTF-8 form; it stands for the replacement character. */
const encodeCharacter = (character: string): string =>
  [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`)
    .join('');

/** Compiles a normalized pattern: `*` stands for any characters, `$` at the end for the end of the path. */
export function compilePattern(pattern: string): PathPattern {
  const isAnchored = pattern.endsWith('$');
  const parts = (isAnchored ? pattern.slice(0, -1) : pattern).split(/\*+/);
  return { parts, isAnchored, length: pattern.length };
}

/** Whether a normalized path matches. Each part is searched once from left to right, because `*` matches the shortest text first. */
export function matchesPath({ parts, isAnchored }: PathPattern, path: string): boolean {
  const [first = '', ...others] = parts;
  if (!path.startsWith(first)) return false;
  const last = isAnchored ? others.pop() : undefined;
  if (isAnchored && last === undefined) return path.length === first.length;
  let from = first.length;
  for (const part of others) {
    const at = path.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return last === undefined || (path.length - last.length >= from && path.endsWith(last));
}
