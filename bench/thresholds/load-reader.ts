import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DECLARATION, READER } from './threshold-file.ts';

export type Reader = typeof import('@tidemark/page-reader');

const ROOT = pathToFileURL(join(READER, '/')).href;
const ADJUSTABLE = '?adjustable';
const RECORDED = '?recorded';

/** The table with variables in the place of constants, and a function that sets one. */
const adjustableSource = (text: string): string =>
  `${text.replace(DECLARATION, 'export let $1 = $2;')}
export function adjust(name: string, value: number): void {
${[...text.matchAll(DECLARATION)].map(([, name]) => `  if (name === '${name}') ${name} = value;`).join('\n')}
}`;

/** The table with objects in the place of numbers: each is added to `used` when it is compared. */
const recordedSource = (text: string): string =>
  `export const used = new Set<string>();
${text.replace(DECLARATION, "export const $1 = { valueOf() { used.add('$1'); return $2; } };")}`;

// The readers are further instances of the reader's modules: their URLs have a query, and their tables another source.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const query = URL.parse(context.parentURL ?? '')?.search ?? '';
    const isReader = query === ADJUSTABLE || query === RECORDED;
    return isReader && found.url.startsWith(ROOT) ? { ...found, url: `${found.url}${query}` } : found;
  },
  load(url, context, next) {
    const query = URL.parse(url)?.search ?? '';
    if ((query !== ADJUSTABLE && query !== RECORDED) || !url.endsWith(`/thresholds.ts${query}`))
      return next(url, context);
    const text = readFileSync(fileURLToPath(url), 'utf8');
    const source = query === ADJUSTABLE ? adjustableSource(text) : recordedSource(text);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

/** A reader in which a threshold of a stage can be set. */
export interface AdjustableReader {
  readonly reader: Reader;
  readonly adjust: (name: string, value: number) => void;
}

export async function loadAdjustable(stage: string): Promise<AdjustableReader> {
  const { adjust } = await import(`${ROOT}${stage}/thresholds.ts${ADJUSTABLE}`);
  return { reader: await import(`${ROOT}index.ts${ADJUSTABLE}`), adjust };
}

/** A reader that records which thresholds of a stage were compared. */
export interface RecordedReader {
  readonly reader: Reader;
  readonly used: Set<string>;
}

export async function loadRecorded(stage: string): Promise<RecordedReader> {
  const { used } = await import(`${ROOT}${stage}/thresholds.ts${RECORDED}`);
  return { reader: await import(`${ROOT}index.ts${RECORDED}`), used };
}
