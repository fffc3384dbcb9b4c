// Writes dist/tidemark.js: the command line with everything it imports, in one file.
import { join } from 'node:path';
import { build } from 'esbuild';

const HERE = import.meta.dirname;

/** Bundles the command line into a file. */
export async function bundleTo(outfile: string): Promise<void> {
  await build({
    entryPoints: [join(HERE, 'src/main.ts')],
    outfile,
    ...{ bundle: true, minify: true, format: 'esm', platform: 'node', target: 'node20.3', logLevel: 'warning' },
    conditions: ['tidemark-source'],
    banner: { js: '#!/usr/bin/env node' },
  });
}

if (import.meta.main) await bundleTo(join(HERE, 'dist/tidemark.js'));
