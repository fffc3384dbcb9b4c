import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { RPC_CALLERS } from '@tidemark/contracts';
import { graphCheck } from '../checks/graph-check.ts';
import { readBlock, writeBlock } from '../text-block.ts';
import { readDials } from './read-dials.ts';
import { readRpcs } from './read-rpcs.ts';
import { callerDifferences, readRpcCallers } from './rpc-callers.ts';
import { findCycle, GRAPH_BLOCK, printGraph, readServiceGraph } from './service-graph.ts';

/** Does something with a small tree of files. */
async function inTree<T>(files: Readonly<Record<string, string>>, use: (root: string) => T | Promise<T>): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-graph-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return await use(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const dials = (...services: readonly string[]): string =>
  services.map((name) => `app.dial('${name}', address);`).join('\n');
const documentOf = (graph: string): string => `# It\n\n\`\`\`text service-graph\n${graph}\n\`\`\`\n\nMore.\n`;
const SOUND = {
  'services/a/src/service.ts': dials('b', 'c'),
  'services/b/src/service.ts': dials('c'),
  'services/c/src/service.ts': '',
};

describe('the reading of dials', () => {
  it.each([
    ["app.dial('crawl', address)", ['crawl']],
    ["const peers = { a: dial('a', at.A), b: app.dial(`b`, at.B) };", ['a', 'b']],
    ["function open({ config: at, dial }: App) { return dial('a', at.A); }", ['a']],
    ["import { dial } from '@tidemark/service'; dial('a', x);", ['a']],
    ["this.#dial('a'); host.dialled('b');", []],
    ['dial(host, 4, port); function dial(host: string, family: number, port: number) {}', []],
    ["type Opens = Pick<App, 'dial'>; interface App { dial(name: string): void }", []],
  ])('finds the services in %s', (text, services) => {
    expect(readDials(text).map(({ service }) => service)).toEqual(services);
  });

  it.each([
    ['app.dial(name, address)'],
    ["app.dial('a' + b, address)"],
    [['app.dial(`a', '{name}`, address)'].join('$')],
    ["const open = app.dial; open('a', address)"],
    ["const { dial: open } = app; open('a', address)"],
    ["import { dial as open } from '@tidemark/service'; open('a', address)"],
    ['names.map(app.dial)'],
  ])('finds that the service can not be derived in %s', (text) => {
    expect(readDials(`\n${text}`)).toEqual([{ line: 2, service: undefined }]);
  });
});

describe('the graph of services', () => {
  it('is derived from all files of a service but its tests, callers before those they call', async () => {
    const files = { ...SOUND, 'services/a/src/deep/x.test.ts': dials('a'), 'services/a/src/deep/y.ts': dials('c') };
    const { graph, problems } = await inTree(files, readServiceGraph);
    expect(problems).toEqual([]);
    expect(findCycle(graph)).toBeUndefined();
    expect(printGraph(graph)).toBe('a -> b, c\nb -> c\nc');
  });

  it('names a cycle, of one service too', async () => {
    const { graph } = await inTree({ ...SOUND, 'services/c/src/x.ts': dials('a') }, readServiceGraph);
    expect(findCycle(graph)).toEqual(['a', 'b', 'c', 'a']);
    const own = await inTree({ 'services/a/src/x.ts': dials('a') }, readServiceGraph);
    expect(findCycle(own.graph)).toEqual(['a', 'a']);
  });

  it('refuses what can not be derived, services that do not exist, and a tree without services', async () => {
    const files = { 'services/a/src/x.ts': "app.dial(name, x);\napp.dial('nowhere', x);" };
    const { problems } = await inTree(files, readServiceGraph);
    expect(problems).toEqual([
      "services/a/src/x.ts:1 dials a service that is no literal: dial('<service>', …)",
      'services/a/src/x.ts:2 dials nowhere, which is no service',
    ]);
    expect((await inTree({ 'x.ts': '' }, readServiceGraph)).problems).toHaveLength(1);
  });
});

describe('the check of the graph', () => {
  const check = (files: Readonly<Record<string, string>>) => inTree(files, (root) => graphCheck(root, {}).run());

  it('finds nothing where the document shows the graph', async () => {
    const finding = await check({ ...SOUND, 'ARCHITECTURE.md': documentOf('a -> b, c\nb -> c\nc') });
    expect(finding).toEqual({ summary: '3 services, 3 calls, no cycle', problems: [] });
  });

  it('finds a seeded cycle and names it', async () => {
    const files = { ...SOUND, 'services/c/src/x.ts': dials('b'), 'ARCHITECTURE.md': documentOf('') };
    const { summary, problems } = await check(files);
    expect(summary).toBe('3 services, 4 calls, a cycle');
    expect(problems).toContain('services call each other in a cycle: b -> c -> b');
  });

  it('finds a document that shows another graph, or none', async () => {
    for (const text of [documentOf('a -> b'), documentOf(''), '# It\n']) {
      const { problems } = await check({ ...SOUND, 'ARCHITECTURE.md': text });
      expect(problems).toEqual([expect.stringContaining('ARCHITECTURE.md does not show the graph of the code')]);
    }
  });

  it('finds nothing in this repository', async () => {
    expect((await graphCheck(resolve(import.meta.dirname, '../..'), RPC_CALLERS).run()).problems).toEqual([]);
  });
});

describe('the block of a document', () => {
  it('is replaced, whatever it held, and nothing around it', () => {
    for (const before of ['a -> b', '', 'a\nb']) {
      const document = documentOf(before);
      expect(readBlock(document, GRAPH_BLOCK)).toBe(before);
      expect(writeBlock(document, 'x -> y\ny', GRAPH_BLOCK)).toBe(documentOf('x -> y\ny'));
    }
    expect(() => writeBlock('# It', 'x', GRAPH_BLOCK)).toThrow('there is no block');
  });
});

const RPC = "import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';\n";
const LIST_PAGES = 'tidemark.archive.v1.ArchiveService/ListPages';

describe('the reading of RPCs', () => {
  it('distinguishes the handler of an RPC from its callers', () => {
    expect(readRpcs(`${RPC}handle(Rpc.listPages, run); peer.call(Rpc.getPage, {}, ctx);`)).toEqual([
      { rpc: LIST_PAGES, isImplemented: true },
      { rpc: 'tidemark.archive.v1.ArchiveService/GetPage', isImplemented: false },
    ]);
  });

  it('ignores types and objects of the same name from elsewhere', () => {
    expect(readRpcs("import { Rpc } from './rpc.ts'; Rpc.listPages;")).toEqual([]);
    expect(readRpcs("import { Page } from '@tidemark/contracts/page/v1/page'; Page.encode(x);")).toEqual([]);
  });
});

describe('the table of the callers of RPCs', () => {
  const files = {
    'services/archive/src/service.ts': `${RPC}handle(Rpc.listPages, run); handle(Rpc.getPage, run);`,
    'services/a/src/service.ts': `${RPC}${dials('archive')} peer.call(Rpc.listPages, {}, ctx);`,
    'services/b/src/service.ts': dials('archive'),
    'services/c/src/service.ts': '',
    'libs/read/src/read.ts': `${RPC}export const read = (peer) => peer.call(Rpc.getPage, {}, ctx);`,
    'services/archive/package.json': '{}',
    'services/a/package.json': '{}',
    'services/b/package.json': '{"dependencies":{"@tidemark/read":"workspace:*"}}',
    'services/c/package.json': '{"dependencies":{"@tidemark/read":"workspace:*"}}',
  };

  it('is derived from the code: a call in a library belongs to the services that use it and dial the implementation', async () => {
    const callers = await inTree(files, (root) => readRpcCallers(root, readServiceGraph(root).graph));
    expect(callers).toEqual({ [LIST_PAGES]: ['a'], 'tidemark.archive.v1.ArchiveService/GetPage': ['b'] });
  });

  it('differs where a caller, an entry or an implementation is missing', () => {
    expect(callerDifferences({ 'x.X/A': ['a'], 'x.X/B': ['b'] }, { 'x.X/A': ['c'], 'x.X/C': [] })).toEqual([
      'a calls x.X/A, which the table does not allow: add it to its callers',
      'c does not call x.X/A: delete it from its callers',
      'x.X/B is not in the table: add its callers (b)',
      'x.X/C has no implementation: delete it from the table',
    ]);
  });
});
