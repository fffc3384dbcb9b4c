// Writes src/generated: the scripts and styles of the pages, as the gateway sends them. deploy/bootstrap.sh runs it when the sources have changed.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const HERE = import.meta.dirname;
const GENERATED = join(HERE, 'src/generated');

/** What would end a script or style element early, or begin a comment in it (HTML, 13.2.5.15). */
const ENDS_ELEMENT = /<\/(?:script|style)|<!--/i;

/** Bundles an entry of `browser/` into one file, minified. @throws Error if it could not be written inside of an element */
async function bundled(entry: string, format: 'iife' | 'esm'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(HERE, 'browser', entry)],
    bundle: true,
    minify: true,
    format,
    target: 'es2023',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  const text = outputFiles[0]?.text.trim() ?? '';
  if (text === '' || ENDS_ELEMENT.test(text)) throw new Error(`${entry} has no text that an element can contain`);
  return text;
}

/** Returns the built files by path. */
async function builtFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['stored-page.js', await bundled('stored-page/stored-page.ts', 'iife')],
    ['stored-page.css', await bundled('stored-page/stored-page.css', 'esm')],
  ]);
}

const files = await builtFiles();
rmSync(GENERATED, { recursive: true, force: true });
mkdirSync(GENERATED, { recursive: true });
for (const [path, text] of files) writeFileSync(join(GENERATED, path), text);
