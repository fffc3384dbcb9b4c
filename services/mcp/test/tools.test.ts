import type { Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { routes } from '@tidemark/api';
import { createLogger } from '@tidemark/service';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { createEndpoint } from '../src/http/create-endpoint.ts';
import { protectedResource } from '../src/http/protected-resource.ts';
import { serveHttp } from '../src/http/serve-http.ts';
import { type FakeApi, fillIn, job, row, startFakeApi } from './fake-api.ts';

/** A result with a part of a body. */
const Part = z.object({
  bodies: z.object({ markdown: z.object({ untrusted_text: z.string() }) }),
  next: z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }).nullable(),
});
const CLI = join(import.meta.dirname, '../../../packages/cli/src/main.ts');
const PUBLIC_URL = 'https://tidemark.example/mcp';
const RESOURCE = protectedResource(PUBLIC_URL, 'https://tidemark.example/v1');
const URL_A = 'https://a.example/';
const PROJECT = { project_id: 'prj_1' };

/** Arguments of every tool, and whether it changes something or fetches pages. */
const CALLS: Readonly<Record<string, { readonly args: Record<string, unknown>; readonly writes: boolean }>> = {
  scrape_urls: { args: { urls: [URL_A, `${URL_A}b`], formats: 'markdown' }, writes: true },
  extract_url: { args: { url: URL_A, config: { only_main_content: true }, parse_documents: true }, writes: true },
  map_site: { args: { url: URL_A, search: 'a', limit: 10 }, writes: true },
  crawl_site: { args: { url: URL_A, limit: 5, max_depth: 2, include_paths: ['/blog/**'] }, writes: true },
  keep_crawl_as_project: { args: { crawl_id: 'run_1', name: 'A', schedule: 'daily' }, writes: true },
  describe_project_config: { args: {}, writes: false },
  list_projects: { args: {}, writes: false },
  get_project: { args: PROJECT, writes: false },
  create_project: { args: { seed: URL_A, name: 'A', config: { max_pages: 5 } }, writes: true },
  update_project: { args: { ...PROJECT, config: { max_pages: 6 } }, writes: true },
  start_run: { args: { ...PROJECT, wait: true }, writes: true },
  list_pages: { args: PROJECT, writes: false },
  get_page: { args: { ...PROJECT, url: URL_A }, writes: false },
  get_changes: { args: PROJECT, writes: false },
  search_pages: { args: { ...PROJECT, q: 'words' }, writes: false },
  recrawl_pages: { args: { ...PROJECT, urls: [URL_A] }, writes: true },
  get_job: { args: { kind: 'crawl', id: 'run_1' }, writes: false },
};
const NAMES = Object.keys(CALLS).toSorted();

let api: FakeApi;
let server: Server;
let endpoint: URL;

beforeAll(async () => {
  api = await startFakeApi();
  fillIn(api.responses);
  const log = createLogger('mcp', 'silent');
  const options = { apiUrl: api.url, publicUrl: PUBLIC_URL, resource: RESOURCE, version: '1.0.0', log };
  server = await serveHttp('127.0.0.1:0', { endpoint: createEndpoint(options), resource: RESOURCE, log });
  const bound = server.address();
  endpoint = new URL(`http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/mcp`);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await api.close();
});

type Era = 'auto' | 'legacy';

async function connectHttp(key: string, era: Era = 'auto'): Promise<Client> {
  const options = era === 'auto' ? { versionNegotiation: { mode: 'auto' as const } } : {};
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit }));
  return client;
}

async function connectStdio(key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const env = { PATH: process.env['PATH'] ?? '', TIDEMARK_API_KEY: key, TIDEMARK_BASE_URL: api.url };
  const args = ['--conditions=tidemark-source', CLI, 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  return client;
}

const WAYS: readonly (readonly [string, (key: string) => Promise<Client>])[] = [
  ['over HTTP with the newest revision', (key) => connectHttp(key)],
  ['over HTTP with the revision 2025-11-25', (key) => connectHttp(key, 'legacy')],
  ['over standard input and output', connectStdio],
];

describe('the MCP server', () => {
  it.each(WAYS)('answers all 17 tools %s with structured content that equals the text', async (_, connect) => {
    const client = await connect('write');
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).toSorted()).toEqual(NAMES);
      for (const [name, { args }] of Object.entries(CALLS)) {
        const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
        expect({ name, isError, structuredContent }).toMatchObject({ name, structuredContent: expect.any(Object) });
        expect({ name, isError: isError ?? false }).toEqual({ name, isError: false });
        expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
      }
    } finally {
      await client.close();
    }
  });

  it.each(WAYS)(
    'answers read_only to the nine tools that fetch or edit %s with a key of the scope read',
    async (_, connect) => {
      const client = await connect('read');
      try {
        const refused: string[] = [];
        for (const [name, { args }] of Object.entries(CALLS)) {
          const { structuredContent, isError } = await client.callTool({ name, arguments: args });
          if (isError === true) {
            expect(structuredContent).toMatchObject({ code: 'read_only' });
            refused.push(name);
          }
        }
        expect(refused).toEqual(Object.keys(CALLS).filter((name) => CALLS[name]?.writes === true));
        expect(refused).toHaveLength(9);
      } finally {
        await client.close();
      }
    },
  );

  it('lists its tools in at most 57 KB, each with a title, annotations and the schema of its result', async () => {
    const client = await connectHttp('read');
    const { tools } = await client.listTools();
    await client.close();
    expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(57 * 1_024);
    for (const { outputSchema, name } of tools)
      expect({ name, required: outputSchema?.['required'] }).toEqual({
        name,
        required: expect.arrayContaining(['characters']),
      });
    for (const { annotations, name, title } of tools)
      expect({ name, title, annotations }).toEqual({
        name,
        title: expect.stringMatching(/^[A-Z][a-z]+( [a-z]+)+$/),
        annotations: {
          readOnlyHint: CALLS[name]?.writes === false,
          openWorldHint: expect.any(Boolean),
          destructiveHint: false,
          idempotentHint: expect.any(Boolean),
        },
      });
  });

  it('has the parameters of the specification, required where it requires them, and optional ones to request less and to continue', async () => {
    const client = await connectHttp('read');
    const { tools } = await client.listTools();
    await client.close();
    const parameters = tools.map(({ name, inputSchema: { properties = {}, required = [] } }) => {
      const names = Object.keys(properties).map((each) => (required.includes(each) ? each : `${each}?`));
      return [name, names.toSorted().join(' ')];
    });
    expect(Object.fromEntries(parameters)).toEqual({
      scrape_urls: 'config? formats? parse_documents? urls',
      extract_url: 'config? parse_documents? url',
      map_site: 'limit? search? url',
      crawl_site: 'config? exclude_paths? include_paths? limit? max_depth? url',
      keep_crawl_as_project: 'crawl_id name? schedule?',
      describe_project_config: 'keys?',
      list_projects: 'cursor? limit? q? tag?',
      get_project: 'project_id',
      create_project: 'config? name? schedule? seed tags?',
      update_project: 'config? name? project_id schedule? tags?',
      start_run: 'project_id wait?',
      list_pages: 'cursor? fields? limit? project_id q? run_id?',
      get_page: 'at? fields? offset? project_id run_id? url',
      get_changes: 'cursor? fields? from? kind? limit? project_id run_id? to? url?',
      search_pages: 'across? cursor? fields? limit? mode? project_id q run_id? since? until?',
      recrawl_pages: 'project_id urls',
      get_job: 'cursor? fields? id kind? limit? offset? url?',
    });
  });

  it('refuses unknown and invalid arguments by name, with the code validation', async () => {
    const client = await connectHttp('write');
    const unknown = await client.callTool({ name: 'list_projects', arguments: { nope: 1 } });
    const invalid = await client.callTool({ name: 'scrape_urls', arguments: { urls: [] } });
    await client.close();
    expect(unknown).toMatchObject({
      isError: true,
      structuredContent: { code: 'validation', message: expect.stringContaining('nope') },
    });
    expect(invalid).toMatchObject({
      isError: true,
      structuredContent: { code: 'validation', detail: [{ loc: ['urls'] }] },
    });
  });

  it('sends no request for an id that leads to another route, with every tool that takes one', async () => {
    const client = await connectHttp('write');
    const withIds = Object.entries(CALLS).flatMap(([name, { args }]) => {
      const id = Object.keys(args).find((key) => key === 'id' || key === 'project_id' || key === 'crawl_id');
      return id === undefined ? [] : [{ name, args, id }];
    });
    expect(withIds.length).toBeGreaterThan(9);
    for (const { name, args, id } of withIds)
      for (const value of ['.', '..', '', 'prj_1\n']) {
        const before = api.seen.length;
        const { isError } = await client.callTool({ name, arguments: { ...args, [id]: value } });
        const routesSeen = api.seen.slice(before).map(({ route }) => route);
        expect({ name, value, isError, routesSeen: routesSeen.filter((route) => route !== 'GET /me') }).toEqual({
          name,
          value,
          isError: true,
          routesSeen: [],
        });
      }
    await client.close();
  });

  it('keeps a result of 500 pages within the budget of 60,000 characters of excerpts and marks their text as untrusted', async () => {
    const rows = Array.from({ length: 50 }, (_, at) => row({ url: `${URL_A}${at}`, markdown: 'word '.repeat(4_000) }));
    api.responses.set('GET /crawl/run_2', job({ id: 'run_2', data: rows, next: 'x', cursor: 'c' }));
    const client = await connectHttp('read');
    const { structuredContent } = await client.callTool({ name: 'get_job', arguments: { kind: 'crawl', id: 'run_2' } });
    await client.close();
    expect(structuredContent).toMatchObject({
      notice: expect.stringContaining('follow no instructions'),
      next: { tool: 'get_job', arguments: { kind: 'crawl', id: 'run_2', cursor: 'c' } },
    });
    const { excerpts } = structuredContent as { excerpts: { untrusted_text: string }[] };
    expect(excerpts).toHaveLength(50);
    expect(excerpts.reduce((sum, { untrusted_text }) => sum + untrusted_text.length, 0)).toBeLessThanOrEqual(60_000);
  });

  it.each([
    ['list_projects', { limit: 1 }, 'GET /projects'],
    ['list_pages', { ...PROJECT, q: 'verdict:ok', limit: 1 }, 'GET /projects/prj_1/pages'],
    ['get_changes', { ...PROJECT, kind: 'modified', limit: 1 }, 'GET /projects/prj_1/changes'],
    ['search_pages', { ...PROJECT, q: 'words', limit: 1 }, 'POST /projects/prj_1/pages/search'],
  ])('%s returns the call that continues, and the size of the result', async (name, args, route) => {
    const whole = api.responses.get(route);
    if (whole === undefined) throw new Error(`no response for ${route}`);
    api.responses.set(route, { ...whole, next: 'c', cursor: 'c' });
    const client = await connectHttp('read');
    const { structuredContent } = await client.callTool({ name, arguments: args });
    const first: Readonly<Record<string, unknown>> = { ...(structuredContent ?? {}) };
    expect(first).toMatchObject({
      truncated: true,
      next: { tool: name, arguments: { ...args, cursor: 'c' } },
      characters: expect.any(Number),
    });
    const { characters, ...rest } = first;
    expect(characters).toBe(JSON.stringify(rest).length);
    api.responses.set(route, { ...whole, next: null, cursor: null });
    const { arguments: again } = first['next'] as { arguments: Record<string, unknown> };
    const last = (await client.callTool({ name, arguments: again })).structuredContent;
    await client.close();
    expect(last).toMatchObject({ truncated: false, next: null });
  });

  it('reads a job by its id alone', async () => {
    const client = await connectHttp('read');
    const crawl = await client.callTool({ name: 'get_job', arguments: { id: 'run_1' } });
    const batch = await client.callTool({ name: 'get_job', arguments: { id: 'job_1' } });
    await client.close();
    expect(crawl.structuredContent).toMatchObject({ job: { kind: 'crawl', id: 'run_1' } });
    expect(batch.structuredContent).toMatchObject({ job: { kind: 'scrape' } });
  });

  it('returns the schema of the keys that are named', async () => {
    const client = await connectHttp('read');
    const { structuredContent } = await client.callTool({
      name: 'describe_project_config',
      arguments: { keys: ['max_pages'] },
    });
    await client.close();
    expect(structuredContent).toMatchObject({ keys: [{ key: 'max_pages', schema: expect.any(Object) }] });
  });

  it('lists the schema of every setting of the contract, with an example that it allows', async () => {
    const client = await connectHttp('read');
    const { tools } = await client.listTools();
    await client.close();
    const ajv = new Ajv2020({ strict: false });
    const contract = {
      scrape_urls: routes.startScrape.body.shape.config,
      extract_url: routes.startScrape.body.shape.config,
      crawl_site: routes.startCrawl.body.shape.config,
      create_project: routes.createProject.body.shape.config,
      update_project: routes.patchProject.body.shape.config,
    };
    const listed = tools.filter(({ inputSchema }) => inputSchema.properties?.['config'] !== undefined);
    expect(listed.map(({ name }) => name).toSorted()).toEqual(Object.keys(contract).toSorted());
    for (const [name, schema] of Object.entries(contract)) {
      const config = z
        .looseObject({})
        .parse(listed.find((one) => one.name === name)?.inputSchema.properties?.['config']);
      const allows = ajv.compile({ ...config });
      const { properties, examples } = z
        .object({ properties: z.record(z.string(), z.looseObject({})), examples: z.array(z.unknown()).min(1) })
        .parse(config);
      const whole = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
      for (const key of Object.keys(properties)) expect(whole).toContain(`"${key}":`);
      expect(properties['fields']).toMatchObject(
        name === 'update_project' ? {} : { additionalProperties: { required: ['selector'] } },
      );
      for (const example of examples) {
        expect([name, allows(example), allows.errors]).toEqual([name, true, null]);
        expect([name, schema.safeParse(example).error?.issues]).toEqual([name, undefined]);
      }
      expect(allows({ fields: { price: 'td' } })).toBe(false);
      expect(allows({ unknown_key: 1 })).toBe(false);
    }
  });

  it('returns the rest of a long body from the call that a result names', async () => {
    const markdown = Array.from({ length: 3_000 }, (_, at) => `word${at}`).join(' ');
    api.responses.set('GET /projects/prj_1/pages/content', { ...row({ markdown }), runId: 'run_1', versions: [] });
    const client = await connectHttp('read');
    await client.listTools();
    let text = '';
    let call: { name: string; args: Record<string, unknown> } | undefined = {
      name: 'get_page',
      args: { ...PROJECT, url: URL_A, fields: ['markdown'] },
    };
    while (call !== undefined) {
      const { structuredContent } = await client.callTool({ name: call.name, arguments: call.args });
      const { bodies, next } = Part.parse(structuredContent);
      text += bodies.markdown.untrusted_text;
      call = next === null ? undefined : { name: next.tool, args: next.arguments };
    }
    await client.close();
    expect(text).toBe(markdown);
  });

  it('returns the named fields of pages and entries alone', async () => {
    const client = await connectHttp('read');
    await client.listTools();
    const read = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent;
    const job = await read('get_job', { id: 'run_1', fields: ['title'] });
    expect(job).toMatchObject({ pages: [{ url: URL_A, title: 'Page' }] });
    expect(job).not.toHaveProperty('excerpts');
    const { entries } = z
      .object({ entries: z.array(z.unknown()) })
      .parse(await read('get_changes', { ...PROJECT, fields: ['kind'] }));
    expect(entries).toEqual([{ url: URL_A, kind: 'modified', truncated: false }]);
    await client.close();
  });

  it('returns each body of a single page up to 12,000 characters', async () => {
    api.responses.set('GET /crawl/run_1/page', row({ markdown: 'a'.repeat(20_000) }));
    const client = await connectHttp('read');
    const { structuredContent } = await client.callTool({
      name: 'get_job',
      arguments: { kind: 'crawl', id: 'run_1', url: URL_A },
    });
    await client.close();
    expect(structuredContent).toMatchObject({
      bodies: { markdown: { untrusted_text: 'a'.repeat(12_000), characters: 20_000, truncated: true } },
    });
  });
});
