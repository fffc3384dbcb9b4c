import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CORPORA = resolve(import.meta.dirname, '../../../shared/corpora');

/**
 * A folder or file of the corpora that lie beside the project; undefined where they don't, and then it says so on the console:
 * a run without them is smaller, and nobody shall take it for the whole.
 */
export function corpus(path: string): string | undefined {
  const found = join(CORPORA, path);
  if (existsSync(found)) return found;
  console.warn(`${found} is absent: the tests drawn from it are not run`);
  return undefined;
}
