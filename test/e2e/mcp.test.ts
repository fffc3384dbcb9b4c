import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { bundleTo } from '@tidemark/cli/bundle';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const ROOT = join(import.meta.dirname, '../..');
const fleet = sharedFleet();
let site: HarbourSite;
let folder = '';
let client: Client;
let program = '';
let env: Record<string, string> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tm-mcp-'));
  program = join(folder, 'tidemark.js');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  await bundleTo(program);
  site = await startHarbour('127.0.0.5');
  const { admin } = await fleet.workspaces.make();
  env = { PATH: process.env['PATH'] ?? '', TIDEMARK_API_KEY: admin.key, TIDEMARK_BASE_URL: `${fleet.url}/v1` };
  client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env, cwd: folder }),
  );
});
afterAll(async () => {
  await client.close();
  site.close();
  rmSync(folder, { recursive: true });
  await fleet.close();
});

type Fields = Record<string, unknown>;

/** Calls a tool and returns its structured content, which must equal the text. */
async function call(name: string, args: Fields = {}): Promise<Fields> {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
  expect({ name, isError: isError === true ? structuredContent : undefined }).toEqual({ name, isError: undefined });
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  return Object.fromEntries(Object.entries(structuredContent ?? {}));
}

const field = (value: unknown, name: string): string => {
  const found = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' ? found : '';
};

/** Waits until a job has ended and returns its state. */
const ended = (kind: string, id: string): Promise<Fields> =>
  until(`the ${kind} ${id} has ended`, async () => {
    const state = await call('get_job', { kind, id });
    return state['status'] === 'done' && state;
  });

describe('tidemark mcp', () => {
  test('lets an agent capture pages, keep a crawl as a project, run it and read what it stored', async () => {
    const page = await call('extract_url', { url: `${site.origin}/prices` });
    expect(page).toMatchObject({
      page: { title: 'Prices', verdict: 'ok' },
      bodies: { markdown: { untrusted_text: expect.stringContaining('crowns a night') } },
    });
    const batch = await call('scrape_urls', {
      urls: [`${site.origin}/`, `${site.origin}/prices`],
      formats: ['markdown'],
    });
    expect(batch).toMatchObject({ status: 'done', pages: [{ verdict: 'ok' }, { verdict: 'ok' }] });
    const map = await call('map_site', { url: site.origin, search: 'prices' });
    expect(map).toMatchObject({ status: 'done', urls: [{ url: `${site.origin}/prices` }] });

    const crawl = await call('crawl_site', { url: `${site.origin}/`, limit: 10, config: { store_html: 'always' } });
    const crawlId = field(crawl['job'], 'id');
    await ended('crawl', crawlId);
    expect(await call('get_job', { kind: 'crawl', id: crawlId, url: `${site.origin}/prices` })).toMatchObject({
      page: { title: 'Prices' },
    });
    const kept = await call('keep_crawl_as_project', { crawl_id: crawlId, name: 'Harbour' });
    const project_id = field(kept['project'], 'id');

    expect(await call('describe_project_config')).toMatchObject({
      keys: expect.arrayContaining([expect.objectContaining({ key: 'max_pages' })]),
    });
    expect(await call('list_projects')).toMatchObject({ projects: [{ id: project_id, name: 'Harbour' }] });
    await call('update_project', { project_id, config: { max_pages: 8 } });
    expect(await call('get_project', { project_id })).toMatchObject({ project: { config: { max_pages: 8 } } });
    expect(await call('create_project', { seed: `${site.origin}/`, name: 'Second' })).toMatchObject({
      project: { name: 'Second' },
    });

    const run = await call('start_run', { project_id, wait: true });
    expect(run).toMatchObject({ status: 'done', job: { kind: 'run' } });
    const pages = await call('list_pages', { project_id });
    expect(pages).toMatchObject({ pages: expect.arrayContaining([expect.objectContaining({ title: 'Prices' })]) });
    expect(await call('get_page', { project_id, url: `${site.origin}/prices` })).toMatchObject({
      page: { title: 'Prices' },
    });
    expect(await call('search_pages', { project_id, q: 'crowns' })).toMatchObject({ pages: [{ title: 'Prices' }] });
    expect(await call('get_changes', { project_id })).toHaveProperty('entries');
    const again = await call('recrawl_pages', { project_id, urls: [`${site.origin}/prices`] });
    expect(await ended('run', field(again['job'], 'id'))).toMatchObject({ pages: [{ url: `${site.origin}/prices` }] });
  });

  test('is used by examples/mcp.ts, which runs to its end', async () => {
    const args = ['--conditions=tidemark-source', join(ROOT, 'examples/mcp.ts'), `${site.origin}/prices`, program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 60_000 });
    expect(stdout).toContain('17 tools: ');
    expect(stdout).toContain('crowns a night');
  });
});
