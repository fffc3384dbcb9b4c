// Writes dist/tidemark.js: the command line with everything it imports; and dist/mcp.js: the tools of `tidemark mcp`, which it loads.
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const HERE = import.meta.dirname;

const SETTINGS: BuildOptions = {
  ...{ bundle: true, minify: true, format: 'esm', platform: 'node', target: 'node20.3', logLevel: 'warning' },
  conditions: ['tidemark-source'],
  banner: { js: '#!/usr/bin/env node' },
};

/** Leaves the import of the tools to the other file. */
const toolsApart: Plugin = {
  name: 'tools-apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/mcp-server\.ts$/ }, () => ({ path: './mcp.js', external: true }));
  },
};

/** Bundles the command line into a file, and its tools into `mcp.js` of the same folder. */
export async function bundleTo(outfile: string): Promise<void> {
  await build({ ...SETTINGS, entryPoints: [join(HERE, 'src/main.ts')], outfile, plugins: [toolsApart] });
  await build({
    ...SETTINGS,
    entryPoints: [join(HERE, 'src/mcp-server.ts')],
    outfile: join(dirname(outfile), 'mcp.js'),
  });
}

if (import.meta.main) await bundleTo(join(HERE, 'dist/tidemark.js'));
