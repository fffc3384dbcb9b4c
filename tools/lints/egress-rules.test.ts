import { describe, expect, it } from '@jest/globals';
import { EGRESS_RULES, egressViolations, OPENINGS } from './egress-rules.ts';
import { treeOf } from './fixture-tree.ts';

const openIn = (path: string, text: string): string[] =>
  egressViolations(treeOf({ [path]: text }).modules, []).map(({ what }) => what);

describe('a socket', () => {
  it.each([
    ["import { request } from 'node:https';", 'node:https'],
    ["import { request } from 'http';", 'node:http'],
    ["import { connect, isIP } from 'node:net';", 'node:net'],
    ["import * as net from 'node:net';", 'node:net'],
    ["import dns from 'node:dns/promises';", 'node:dns/promises'],
    ["import 'undici';", 'npm:undici'],
    ["export { default } from 'got';", 'npm:got'],
    ["await import('puppeteer-core');", 'npm:puppeteer-core'],
    ["import x from '@playwright/test';", 'npm:@playwright/test'],
    ["createRequire(import.meta.url)('ws');", 'npm:ws'],
    ["process.getBuiltinModule('tls');", 'node:tls'],
    ["await fetch('https://example.com/');", 'the global fetch'],
    ["await globalThis.fetch('https://example.com/');", 'the global fetch'],
    ["new WebSocket('wss://example.com/');", 'the global WebSocket'],
    ["new EventSource('https://example.com/');", 'the global EventSource'],
    ["globalThis[name]('https://example.com/');", 'the global globalThis[…]'],
  ])('is seen in %s', (text, expected) => {
    expect(openIn('services/a/src/x.ts', text)).toEqual([`opens sockets with ${expected}`]);
  });

  it.each([
    "import type { RequestListener } from 'node:http';",
    "import { isIP, BlockList } from 'node:net';",
    "import { validateHeaderName } from 'node:http';",
    'interface Engine { fetch(url: string): void } declare const engine: Engine; engine.fetch("x");',
    "import { fetch } from './engine.ts'; fetch('x');",
    "import { guardedFetch } from '@tidemark/egress';",
  ])('is not seen in %s', (text) => {
    expect(openIn('services/a/src/x.ts', text)).toEqual([]);
  });

  it('may be opened where a line allows it, and only by that module', () => {
    const tree = treeOf({ 'services/a/src/serve.ts': "import 'node:http';\nimport 'node:net';" });
    const openings = [{ files: 'services/a/src/serve.ts', opens: ['node:http'], because: 'listens' }];
    expect(egressViolations(tree.modules, openings)).toEqual([
      { path: 'services/a/src/serve.ts', line: 2, what: 'opens sockets with node:net' },
    ]);
  });
});

describe('the list of openings', () => {
  it('has no entry that no file needs', () => {
    const violations = egressViolations([], [{ files: 'libs/a/**', opens: ['node:net'], because: 'once' }]);
    expect(violations).toEqual([expect.objectContaining({ what: expect.stringContaining('does not use it') })]);
  });

  it('gives a reason for each', () => {
    expect(OPENINGS.filter(({ because }) => because.length < 5)).toEqual([]);
    expect(EGRESS_RULES).toHaveLength(1);
  });
});
