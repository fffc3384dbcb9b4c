import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CORPORA = resolve(import.meta.dirname, '../../../shared/corpora');

/** Returns the path of a folder or file of `../shared/corpora`; undefined, with a line on the console, where it is absent. */
export function corpus(path: string): string | undefined {
  const found = join(CORPORA, path);
  if (existsSync(found)) return found;
  console.warn(`corpus absent, its tests do not run: ${found}`);
  return undefined;
}
