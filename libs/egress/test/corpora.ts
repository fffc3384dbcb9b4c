import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from '@jest/globals';

const SHARED = fileURLToPath(new URL('../../../../shared/corpora/', import.meta.url));

/** Declares a suite over a file of the shared corpora. If the corpora are absent the suite is skipped with a warning. */
export function describeCorpus(path: string, title: string, suite: (file: string) => void): void {
  const file = join(SHARED, path);
  if (existsSync(file)) describe(title, () => suite(file));
  else {
    process.emitWarning(`corpus absent, its tests are skipped: ${file}`);
    describe.skip(`${title} (corpus absent: ${file})`, () => suite(file));
  }
}
