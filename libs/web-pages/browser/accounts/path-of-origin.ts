// biome-ignore lint/suspicious/noControlCharactersInRegex: the parser of URLs drops control characters, which could hide a second slash
const SAFE_PATH = /^\/(?:[A-Za-z0-9_-][^\\\x00-\x1f]*)?$/;

/** Returns true for a path of this origin. `//host` and `/\host` are other origins (WHATWG URL, 4.4). */
export const isPathOfOrigin = (path: string): boolean => SAFE_PATH.test(path);
