// `vite build services/console --outDir <folder>`: builds the console, with a brotli and a gzip file beside each text file.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Address of a running gateway, for `vite`. */
const GATEWAY = process.env['TIDEMARK_URL'] ?? 'http://127.0.0.1:8787';
/** The highest quality takes ten times as long for a twentieth of the size. */
const BROTLI_QUALITY = 9;

/** Compresses the files once, so that the gateway only sends them. */
function compressed(): Plugin {
  let folder = '';
  return {
    name: 'compressed',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir);
      if (build.outDir.startsWith('/')) folder = build.outDir;
    },
    closeBundle() {
      for (const file of globSync('**/*.{html,js,css,svg}', { cwd: folder })) {
        const path = join(folder, file);
        const bytes = readFileSync(path);
        const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
        writeFileSync(
          `${path}.gz`,
          gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION, memLevel: constants.Z_MAX_MEMLEVEL }),
        );
      }
    },
  };
}

/** Packages of the first view, without the modules that it does not use. Others are loaded with the pages that use them. */
const FIRST_PACKAGES =
  /node_modules[\\/](?:react|react-dom|scheduler|@tanstack[\\/](?!react-virtual|virtual)[^\\/]+)[\\/](?!.*(?:useBlocker|useQueries|queriesObserver|[iI]nfiniteQuery(?:Observer|Options)?)\.js)/;
/** The overview, and modules that it and the frame share with other pages: one file in place of twelve, which compresses better. */
const FIRST_MODULES =
  /lucide-react.*[\\/]plus\.mjs|src[\\/](?:pages[\\/]overview[\\/](?!first-site|route)[^\\/]+|api[\\/](?:billing|client|queries|session|writes|fresh-code)|words[\\/](?:en[\\/](?:counts|frame|overview|run-stops|shell)|format|frame)|routing|parts[\\/](?:badge|button|charts[\\/](?:axis|scale)|credits-left|day-bars|mark|panel|progress|sample-project|scene|scroll-box|site-name|states|time|toast|use-media))(?:\.tsx?|[\\/])/;

/** What the entry runs before the language is chosen. A module of the other files reads its texts when it is evaluated, so the entry must not import them. */
const LANGUAGE_MODULES = /preload-helper|src[\\/](?:language[\\/]|words[\\/]translation)/;

/** Preloads the application beside the entry, which imports it after the language is chosen. */
function preloadedStart(): Plugin {
  return {
    name: 'preloaded-start',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
        const start = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/app/start.tsx') === true);
        if (start === undefined) throw new Error('the chunk of src/app/start.tsx is missing');
        return [start.fileName, ...start.imports].map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
          injectTo: 'head' as const,
        }));
      },
    },
  };
}

export default defineConfig(({ mode }) => ({
  plugins: [react(), tailwind(), preloadedStart(), compressed()],
  resolve: {
    conditions: ['tidemark-source', 'module', 'browser', mode],
    // React has the hook since version 18; the shim is for older ones.
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  server: { proxy: { '/v1': GATEWAY, '/auth': GATEWAY, '/stored': GATEWAY, '/llms.txt': GATEWAY } },
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    target: 'es2023',
    // A data URL would need a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'language', test: LANGUAGE_MODULES, priority: 4 },
            { name: 'vendor', test: FIRST_PACKAGES, priority: 3 },
            { name: 'frame', test: FIRST_MODULES, priority: 2 },
            // Parts of many pages are one file: the entry lists the files of every page.
            { name: 'parts', test: /src[\\/]parts[\\/](?!virtual-table)/, minShareCount: 4 },
            // The overview of a new owner has a field, and no other of these parts.
            { name: 'field', test: /src[\\/]parts[\\/]field\.tsx/, priority: 1 },
          ],
        },
      },
    },
  },
}));
