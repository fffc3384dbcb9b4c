// Writes the types of the REST contract for the client packages; deploy/bootstrap.sh runs it when the contract has changed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generatedFiles } from './generated-files.ts';

const ROOT = join(import.meta.dirname, '../..');

for (const [path, text] of Object.entries(generatedFiles())) {
  const file = join(ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
