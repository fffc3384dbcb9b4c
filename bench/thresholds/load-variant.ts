import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { READER, thresholdFile, withValue } from './threshold-file.ts';

export type Reader = typeof import('@tidemark/page-reader');

const ROOT = pathToFileURL(join(READER, '/')).href;

/** One threshold with another value; undefined: the reader as it is. */
export interface Change {
  readonly stage: string;
  readonly name: string;
  readonly value: number;
}

/** The change of a variant, by the query of its modules. */
const changes = new Map<string, Change>();

// A variant is a second instance of the reader's modules: their URLs have its query, and one table has another source.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const query = URL.parse(context.parentURL ?? '')?.search ?? '';
    return changes.has(query) && found.url.startsWith(ROOT) ? { ...found, url: `${found.url}${query}` } : found;
  },
  load(url, context, next) {
    const change = changes.get(URL.parse(url)?.search ?? '');
    if (change === undefined || fileURLToPath(url) !== thresholdFile(change.stage)) return next(url, context);
    const source = withValue(readFileSync(thresholdFile(change.stage), 'utf8'), change.name, change.value);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

/** Loads the reader with another value of a threshold. Each call keeps its modules in memory until the process ends. */
export async function loadVariant(change: Change): Promise<Reader> {
  const query = `?${change.stage}.${change.name}=${change.value}`;
  changes.set(query, change);
  return await import(`${ROOT}index.ts${query}`);
}
