// Writes the words of the specification into the generated enums, and removes the empty value of optional texts; part of `npm run gen`.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutEmptyTexts } from './optional-texts.ts';
import { withWords } from './word-enums.ts';

const GENERATED = join(import.meta.dirname, '../../libs/contracts/src/gen/tidemark');

for (const path of globSync('**/*.ts', { cwd: GENERATED })) {
  const file = join(GENERATED, path);
  writeFileSync(file, withoutEmptyTexts(withWords(readFileSync(file, 'utf8'))));
}
