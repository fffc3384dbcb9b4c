import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { bundleTo } from '@tidemark/cli/bundle';
import { sharedFleet } from '../harness/fleet.ts';
import { bestMatch, isFields, ToolAgent } from '../harness/tool-agent.ts';
import { until } from '../harness/until.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

type Fields = Readonly<Record<string, unknown>>;

const fleet = sharedFleet();
let site: HarbourSite;
let folder = '';
let client: Client;
let agent: ToolAgent;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tm-agent-'));
  const program = join(folder, 'tidemark.js');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  await bundleTo(program);
  site = await startHarbour('127.0.0.5');
  const { admin } = await fleet.workspaces.make();
  const env = { PATH: process.env['PATH'] ?? '', TIDEMARK_API_KEY: admin.key, TIDEMARK_BASE_URL: `${fleet.url}/v1` };
  client = new Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env, cwd: folder }),
  );
  agent = await ToolAgent.connect(client);
});
afterAll(async () => {
  await client.close();
  site.close();
  rmSync(folder, { recursive: true });
  await fleet.close();
});

const rowsOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
const urlsOf = (value: unknown): unknown[] => rowsOf(value).map(({ url }) => url);
const jobEnded = (): Promise<Fields> =>
  until('the job has ended', async () => {
    const state = await agent.do('read the state of a job');
    return state['status'] === 'done' && state;
  });

/** Each task continues with what the earlier ones left: the crawl of the fifth is the project of the later ones. */
describe('an agent that has only the list of tools', () => {
  test('reads one page', async () => {
    const result = await agent.do('fetch one page with its bodies', { url: `${site.origin}/prices` });
    expect(result).toMatchObject({
      page: { title: 'Prices', verdict: 'ok' },
      bodies: { markdown: { untrusted_text: expect.stringContaining('12 crowns') } },
    });
  });

  test('reads a value of a page by a selector in the form of the example', async () => {
    const goal = 'fetch one page with the values that fields select';
    const { examples } = agent.settings(goal, { url: '' });
    const example = examples.filter(isFields).find(({ fields }) => isFields(fields))?.['fields'];
    const form = Object.values(isFields(example) ? example : {}).find(isFields);
    const { type: _, ...rest } = form ?? {};
    const fields = { fee: { ...rest, selector: '.lead' } };
    const result = await agent.do(goal, { url: `${site.origin}/prices`, config: { fields } });
    expect(JSON.stringify(result['page'])).toContain('The fee is 12 crowns');
  });

  test('reads several known pages', async () => {
    const urls = ['/', '/prices'].map((path) => `${site.origin}${path}`);
    const result = await agent.do('fetch the content of known URLs', { urls });
    expect(urlsOf(result['pages'])).toEqual(expect.arrayContaining(urls));
  });

  test('finds a page among those that the site declares', async () => {
    const goal = 'list the URLs that a site declares in its sitemaps';
    const result = await agent.do(goal, { url: site.origin, search: 'prices' });
    expect(urlsOf(result['urls'])).toEqual([`${site.origin}/prices`]);
  });

  test('crawls the site and waits for the end', async () => {
    await agent.do('crawl a site: follow links', { url: `${site.origin}/`, limit: 10 });
    expect(urlsOf((await jobEnded())['pages'])).toContain(`${site.origin}/prices`);
  });

  test('turns the crawl into a project', async () => {
    const result = await agent.do('turn a crawl into a project', { name: 'Harbour' });
    expect(result).toMatchObject({ project: { name: 'Harbour', seed: `${site.origin}/` } });
  });

  test('finds the setting for the number of pages and changes it', async () => {
    const keys = rowsOf((await agent.do('list every configuration key'))['keys']);
    const setting = bestMatch(
      'maximum number of pages of a run',
      keys,
      ({ key, description }) => `${key} ${description}`,
    );
    expect(setting['key']).toBe('max_pages');
    await agent.do('change a project config', { config: { [String(setting['key'])]: 8 } });
    expect(await agent.do('read one project with its configuration')).toMatchObject({
      project: { config: { max_pages: 8 } },
    });
  });

  test('reads what an edit of a page changed since the crawl', async () => {
    site.fee = 34;
    await agent.do('start a run of a project', { wait: true });
    await jobEnded();
    const entries = await until('the entry of the edit', async () => {
      const found = rowsOf((await agent.do('read what changed between a run and the state before'))['entries']);
      return found.length > 0 && found;
    });
    expect(entries).toMatchObject([{ url: `${site.origin}/prices`, kind: 'modified' }]);
    expect(JSON.stringify(entries[0]?.['blocks'])).toContain('34 crowns');
  });

  test('finds a stored page by its words and reads it in full', async () => {
    const found = await agent.do('search the stored pages by words', { q: 'crowns' });
    const [url] = urlsOf(found['pages']);
    expect(url).toBe(`${site.origin}/prices`);
    expect(await agent.do('read one stored page in full', { url })).toMatchObject({
      bodies: { markdown: { untrusted_text: expect.stringContaining('34 crowns') } },
    });
  });

  test('lists the stored pages one by one to the end and captures one of them again', async () => {
    const seen: unknown[] = [];
    let part: Fields | undefined = await agent.do('list the stored pages of a run', { limit: 1 });
    while (part !== undefined) {
      seen.push(...urlsOf(part['pages']));
      part = await agent.next(part);
    }
    expect(seen.length).toBeGreaterThan(3);
    expect(new Set(seen).size).toBe(seen.length);
    await agent.do('fetch exactly these pages of a project again', { urls: [`${site.origin}/prices`] });
    expect(urlsOf((await jobEnded())['pages'])).toEqual([`${site.origin}/prices`]);
  });
});
