import { readFileSync } from 'node:fs';

/** Files that `build.config.ts` writes. The path is the same from `src` and from `dist`. */
const GENERATED = new URL('../src/generated/', import.meta.url);

/** Reads a built file. @throws Error if the pages have not been built */
export function built(path: string): string {
  try {
    return readFileSync(new URL(path, GENERATED), 'utf8');
  } catch (error) {
    throw new Error(`libs/web-pages is not built; run sh deploy/bootstrap.sh (${path})`, { cause: error });
  }
}
