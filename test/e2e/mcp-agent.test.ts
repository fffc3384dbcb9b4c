import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type SampleSite, startSampleSite } from '../../deploy/sample-site/server.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { ScriptedAgent } from './mcp-agent.ts';

const CLI = join(import.meta.dirname, '../../packages/cli/src/main.ts');
const fleet = sharedFleet();
let site: SampleSite;
let client: Client;
let agent: ScriptedAgent;
/** Ids that results name, by the parameter that takes them. */
const known: Record<string, unknown> = {};

beforeAll(async () => {
  site = await startSampleSite(0, 1, '127.0.0.5');
  const { admin } = await fleet.workspaces.make();
  const env = {
    PATH: process.env['PATH'] ?? '',
    TIDEMARK_API_KEY: admin.key,
    TIDEMARK_BASE_URL: `${fleet.url}/v1`,
  };
  client = new Client({ name: 'scripted', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const args = ['--conditions=tidemark-source', CLI, 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  agent = await ScriptedAgent.read(client);
});
afterAll(async () => {
  await client.close();
  await site.close();
  await fleet.close();
});

const idOf = (value: unknown): string => {
  const id = typeof value === 'object' && value !== null ? Reflect.get(value, 'id') : undefined;
  return typeof id === 'string' ? id : '';
};

/** Reads a job until it has ended. */
const ended = (id: string) =>
  until(`the job ${id}`, async () => {
    const state = await agent.do('Get the state of a job', { id, fields: ['title', 'verdict'] });
    return state['status'] === 'done' && state;
  });

// The tasks depend on each other, as those of an agent in one conversation.
describe('an agent that has the list of tools alone', () => {
  test('1: fetches the content of a page, and continues its body', async () => {
    const page = await agent.do('Extract one page url', { url: `${site.url}/products/heron-mini` });
    expect(page).toMatchObject({
      page: { title: expect.stringContaining('Heron Mini') },
      bodies: { markdown: { truncated: false } },
      next: null,
    });
  });

  test('2: extracts a price with a selector that it writes from the schema of the settings', async () => {
    const task = 'Extract values from one page url';
    const config = agent.settings(task, { fields: { price: { selector: '.price', type: 'number' } } });
    const page = await agent.do(task, { url: `${site.url}/products/heron-mini`, config });
    expect(page).toMatchObject({ page: { fields: { price: 390 } } });
  });

  test('3: lists the URLs that the site declares', async () => {
    const map = await agent.do('Map a site: list the URLs it declares in sitemaps', {
      url: site.url,
      search: 'blog',
      limit: 2,
    });
    expect(map).toMatchObject({ urls: [{ url: expect.stringContaining('/blog') }, {}] });
  });

  test('4: crawls a part of the site and reads the titles of its pages, two at a time', async () => {
    const config = agent.settings('Crawl a site', { store_html: 'always' });
    const facts = { url: `${site.url}/`, limit: 15, exclude_paths: ['/docs/**'], config };
    const { job } = await agent.do('Crawl a site', facts);
    known['crawl_id'] = idOf(job);
    const titles: unknown[] = [];
    await ended(idOf(job));
    let part = await agent.do('Get the state of a job', { id: idOf(job), limit: 2, fields: ['title'] });
    for (; ; part = await agent.continue(part)) {
      const pages = Array.isArray(part['pages']) ? part['pages'] : [];
      expect(pages.length).toBeLessThanOrEqual(2);
      titles.push(...pages.map((page) => Object.keys(page).toSorted().join()));
      if (part['next'] === null) break;
    }
    expect(titles.length).toBeGreaterThan(4);
    expect(new Set(titles)).toEqual(new Set(['title,url']));
  });

  test('5: keeps the crawl as a project, and finds it by its name', async () => {
    const { project } = await agent.do('Keep a crawl as a project', { ...known, name: 'Saltmarsh watch' });
    known['project_id'] = idOf(project);
    const found = await agent.do('List the projects of the workspace', { q: 'saltmarsh', limit: 1 });
    expect(found).toMatchObject({ projects: [{ id: idOf(project) }] });
    expect(await agent.do('List the projects of the workspace', { q: 'zeppelin' })).toMatchObject({ projects: [] });
  });

  test('6: changes a setting, and reads it back', async () => {
    const config = agent.settings('Update a project', { notify_min_words: 3 });
    await agent.do('Update a project', { ...known, config });
    expect(await agent.do('Get one project with its configuration', known)).toMatchObject({
      project: { config: { notify_min_words: 3 } },
    });
  });

  test('7: starts a run after an edition of the site changed, and waits for it', async () => {
    site.show(2);
    const run = await agent.do('Start a run of a project', { ...known, wait: true });
    await ended(idOf(run['job']));
  });

  test('8: reads which pages changed, one entry without its words at a time, then the words of one page', async () => {
    const changes = await until('the change record', async () => {
      const facts = { ...known, kind: 'modified', limit: 1, fields: ['title', 'kind', 'wordsAdded'] };
      const record = await agent.do('Get what changed', facts);
      return Array.isArray(record['entries']) && record['entries'].length > 0 && record;
    });
    const [entry] = Array.isArray(changes['entries']) ? changes['entries'] : [];
    expect(Object.keys(entry).toSorted()).toEqual(['kind', 'title', 'truncated', 'url', 'wordsAdded']);
    const words = await agent.do('Get what changed', { ...known, url: entry.url });
    expect(words).toMatchObject({ entries: [{ url: entry.url, blocks: [{ op: expect.any(String) }] }] });
    expect(Number(changes['characters'])).toBeLessThan(4_000);
  });

  test('9: finds pages by a query and by words, and reads one in part', async () => {
    const gone = await agent.do('List the stored pages', {
      ...known,
      q: 'url:*/products/*',
      limit: 1,
      fields: ['title'],
    });
    expect(gone).toMatchObject({ pages: [{ url: expect.stringContaining('/products/'), title: expect.any(String) }] });
    const found = await agent.do('Search stored pages by words', {
      ...known,
      q: 'gauge',
      limit: 1,
      fields: ['matches'],
    });
    const [hit] = Array.isArray(found['pages']) ? found['pages'] : [];
    expect(Object.keys(hit).toSorted()).toEqual(['matches', 'url']);
    const page = await agent.do('Get one stored page of a project in full', {
      ...known,
      url: hit.url,
      fields: ['links'],
    });
    expect(page).toMatchObject({ bodies: {}, links: { total: expect.any(Number) } });
  });

  test('10: fetches listed pages again, and learns what a setting means', async () => {
    const again = await agent.do('Recrawl pages: fetch these again', { ...known, urls: [`${site.url}/pricing`] });
    await ended(idOf(again['job']));
    const described = await agent.do('Describe the project config keys', { keys: ['wait_for'] });
    expect(described).toMatchObject({ keys: [{ key: 'wait_for', schema: expect.any(Object) }] });
  });

  test('reads a list of at most 56 KB', () => {
    expect(agent.listSize).toBeLessThanOrEqual(56 * 1_024);
  });
});
