import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from '@jest/globals';

const SHARED = fileURLToPath(new URL('../../../../shared/corpora/', import.meta.url));

/** Declares a suite over a file or folder of `../shared/corpora`, or one skipped test that names it where it is absent. */
export function describeCorpus(path: string, title: string, suite: (file: string) => void): void {
  const file = join(SHARED, path);
  if (existsSync(file)) describe(title, () => suite(file));
  else it.skip(`${title} (corpus absent: ${file})`, () => undefined);
}
