// Writes dist/tidemark.js: the command line with everything it imports, in one file.
import { basename, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const HERE = import.meta.dirname;

const SETTINGS: BuildOptions = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.3',
  logLevel: 'warning',
  conditions: ['tidemark-source'],
};

/** What the compressed modules export. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'mcp-server.ts': ['serveMcp'],
  'sites-reader.ts': ['readSites', 'sitesSchemaText'],
};

/** Returns a module that imports the compressed module `packed` as a data URL. */
const unpacking = (
  packed: string,
  names: readonly string[],
): string => `const { brotliDecompressSync } = await import('node:zlib');
const code = brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString('base64');
export const { ${names.join(', ')} } = await import('data:text/javascript;base64,' + code);`;

/** A module of a data URL has no `require`, which packages in CommonJS call for modules of Node. */
const BANNER_OF_TEXT = `import { createRequire } from 'node:module';\nconst require = createRequire('file:///');`;

/** Puts the modules of the contract, for `tidemark mcp` and `tidemark apply`, into the file as compressed text: as code they would be read at the start of every command, 30 ms. */
const contractAsText: Plugin = {
  name: 'contract-as-text',
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:mcp-server|sites-reader)\.ts$/ }, async ({ path }) => {
      const { outputFiles } = await build({
        ...SETTINGS,
        entryPoints: [path],
        write: false,
        banner: { js: BANNER_OF_TEXT },
      });
      const [file] = outputFiles;
      if (file === undefined) throw new Error(`${path} was not bundled`);
      const packed = brotliCompressSync(file.contents).toString('base64');
      return { contents: unpacking(packed, NAMES[basename(path)] ?? []), loader: 'js' };
    });
  },
};

/** Loads each module of Node where it is first used: as imports, all of them would be loaded at the start of every command, 15 ms. */
const modulesOfNode: Plugin = {
  name: 'modules-of-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind, namespace }) =>
      kind === 'dynamic-import' || namespace === 'node' ? { path, external: true } : { path, namespace: 'node' },
    );
    onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({ contents: `module.exports = require('${path}')` }));
  },
};

const BANNER = `#!/usr/bin/env node
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);`;

/** Bundles the command line into a file. */
export async function bundleTo(outfile: string): Promise<void> {
  const entryPoints = [join(HERE, 'src/main.ts')];
  await build({ ...SETTINGS, entryPoints, outfile, banner: { js: BANNER }, plugins: [contractAsText, modulesOfNode] });
}

if (import.meta.main) await bundleTo(join(HERE, 'dist/tidemark.js'));
