// Writes the dashboards and rules of the chart from deploy/observability: `node --conditions=tidemark-source tools/observability.ts --write`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { renderFiles } from '../deploy/observability/render-files.ts';

const ROOT = resolve(import.meta.dirname, '..');
const files = renderFiles();
if (process.argv.includes('--write'))
  for (const [path, text] of files) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
console.log(`${files.size} files${process.argv.includes('--write') ? '' : '; --write writes them'}`);
