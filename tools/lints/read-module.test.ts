import { describe, expect, it } from '@jest/globals';
import { readModule } from './read-module.ts';

const importsOf = (text: string) =>
  readModule(text).imports.map(({ specifier, typeOnly, names }) => [
    specifier,
    typeOnly ? 'type' : 'value',
    names.join(),
  ]);

describe('what a module imports', () => {
  it.each([
    ["import a, { type B, c as d } from 'x';", ['x', 'value', 'default,c']],
    ["import * as all from 'x';", ['x', 'value', '*']],
    ["import 'x';", ['x', 'value', '']],
    ["import type { A } from 'x';", ['x', 'type', 'A']],
    ["import { type A, type B } from 'x';", ['x', 'type', '']],
    ["export { a as b } from 'x';", ['x', 'value', 'a']],
    ["export type { A } from 'x';", ['x', 'type', 'A']],
    ["export * from 'x';", ['x', 'value', '*']],
    ["export type * from 'x';", ['x', 'type', '*']],
    ["const a: import('x').A = 1;", ['x', 'type', '*']],
    ["await import('x');", ['x', 'value', '*']],
    ['await import(`x`);', ['x', 'value', '*']],
    ["import a = require('x');", ['x', 'value', '*']],
    ["createRequire(import.meta.url)('x');", ['x', 'value', '*']],
    ["createRequire(import.meta.url).resolve('x');", ['x', 'value', '*']],
    ["import.meta.resolve('x');", ['x', 'value', '*']],
    ["process.getBuiltinModule('net');", ['net', 'value', '*']],
    ["new Worker(new URL('./worker.ts', import.meta.url));", ['./worker.ts', 'value', '*']],
    ['await import(name);', [undefined, 'value', '*']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source under test
    ['await import(`./${name}.ts`);', [undefined, 'value', '*']],
  ])('%s', (text, expected) => {
    expect(importsOf(text)).toEqual([expected]);
  });

  it('sees nothing in comments and strings', () => {
    expect(importsOf(`// import 'x';\nconst a = "import 'y'"; new URL('./page', base);`)).toEqual([]);
  });

  it('reports the line of an import after multi-byte characters', () => {
    const text = `#!/usr/bin/env node\n// ünïcödé ✓ 🌊\n\nimport 'x';\n`;
    expect(readModule(text).imports[0]?.line).toBe(4);
  });
});

describe('which globals a module uses', () => {
  it.each([
    ["fetch('x');", ['fetch']],
    ["globalThis.fetch('x');", ['fetch']],
    ["globalThis['fetch']('x');", ['globalThis[…]']],
    ['const { fetch: get } = globalThis;', ['globalThis[…]']],
    ['const a = { fetch };', ['fetch']],
    ['const open = WebSocket;', ['WebSocket']],
    ['Date.now();', ['Date.now', 'Date']],
    ['new Date();', ['new Date()', 'Date']],
    ['new Date(1);', ['Date']],
  ])('%s', (text, expected) => {
    expect(readModule(text).globals.map(({ name }) => name)).toEqual(expect.arrayContaining(expected));
  });

  it('distinguishes a global from a declared name', () => {
    const text = `import { fetch } from 'x'; const site = {}; fetch('a'); site.fetch('b'); class A { fetch() {} } type T = typeof WebSocket;`;
    expect(readModule(text).globals).toEqual([]);
  });
});

it('rejects text that is not TypeScript', () => {
  expect(() => readModule('const = ;')).toThrow();
});
