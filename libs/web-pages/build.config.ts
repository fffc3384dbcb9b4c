// Writes src/generated: the pages with their scripts and styles, as the gateway sends them. deploy/bootstrap.sh runs it when the sources have changed.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { ACCOUNT_PAGES, CONSENT_PAGES, MISSING_PAGE, renderAccountPage } from './src/account-pages.ts';
import { ACCOUNT_PAGE_NAMES, CONSENT_PAGE_NAMES } from './src/page-names.ts';

const HERE = import.meta.dirname;
const GENERATED = join(HERE, 'src/generated');

/** What would end a script or style element early, or begin a comment in it (HTML, 13.2.5.15). */
const ENDS_ELEMENT = /<\/(?:script|style)|<!--/i;
/** The same in a string or a regular expression of a script, where its first character can be escaped. */
const ENDS_IN_SCRIPT = /<(?=\/(?:script|style)|!--)/gi;

/** Bundles an entry of `browser/` into one file, minified. @throws Error if it could not be written inside of an element */
async function bundled(entry: string, format: 'iife' | 'esm'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(HERE, 'browser', entry)],
    bundle: true,
    minify: true,
    format,
    target: 'es2023',
    conditions: ['tidemark-source'],
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  const output = outputFiles[0]?.text.trim() ?? '';
  const text = entry.endsWith('.ts') ? output.replace(ENDS_IN_SCRIPT, '\\x3c') : output;
  if (text === '' || ENDS_ELEMENT.test(text)) throw new Error(`${entry} has no text that an element can contain`);
  return text;
}

/** Returns the documents of the pages of accounts by path. */
function accountDocuments(): [string, string][] {
  const homes = (['account', 'console'] as const).flatMap((home): [string, string][] => [
    ...ACCOUNT_PAGE_NAMES.map((name): [string, string] => [
      `accounts/${home}/${name}.html`,
      renderAccountPage(name, ACCOUNT_PAGES[name], home),
    ]),
    [`accounts/${home}/missing.html`, renderAccountPage('missing', MISSING_PAGE, home)],
  ]);
  const consent = CONSENT_PAGE_NAMES.map((name): [string, string] => [
    `consent/${name}.html`,
    renderAccountPage(name, CONSENT_PAGES[name], 'account'),
  ]);
  return [...homes, ...consent];
}

const files = new Map([
  ['stored-page.js', await bundled('stored-page/stored-page.ts', 'iife')],
  ['stored-page.css', await bundled('stored-page/stored-page.css', 'esm')],
  ['compared-page.js', await bundled('compared-page/compared-page.ts', 'iife')],
  ['compared-page.css', await bundled('compared-page/compared-page.css', 'esm')],
  ['accounts.js', await bundled('accounts/pages.ts', 'esm')],
  ['accounts.css', await bundled('accounts/pages.css', 'esm')],
  ['docs.css', await bundled('docs/docs.css', 'esm')],
  ...accountDocuments(),
]);
rmSync(GENERATED, { recursive: true, force: true });
for (const [path, text] of files) {
  const file = join(GENERATED, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
