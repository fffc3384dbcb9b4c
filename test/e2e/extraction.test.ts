import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CrawlEnvelope } from '@tidemark/api';
import { type FakeModel, startFakeModel, startWebSite, until, type WebSite } from '@tidemark/testkit';
import { errorOf } from '../harness/api.ts';
import { recordOf } from '../harness/changes.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { listPages, makeProject, runToEnd } from '../harness/projects.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
const SCHEMA = { type: 'object', properties: { pilot: { type: 'string' } }, required: ['pilot'] };
const VALUES = { pilot: 'Edda Marsh' };
/** The price on a page. */
const prices = { price: 24 };
let shop: WebSite;
let model: FakeModel;
let workspace: Workspace;
let connection: string;

beforeAll(async () => {
  model = await startFakeModel();
  shop = await startWebSite((_, response) => {
    const text = 'Our lamps are made of brass and come with a long cord. '.repeat(10);
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><title>Lamps</title><main><h1>Lamps</h1><p>${text}</p><p>It costs ${prices.price} euros.</p></main>`,
    );
  });
  model.reply = JSON.stringify(VALUES);
  workspace = await fleet.workspaces.make();
  connection = await connect(workspace);
});
afterAll(async () => {
  await model.close();
  await shop.close();
  await web.close();
  await fleet.close();
});

async function connect({ admin }: Workspace): Promise<string> {
  const config = { model: 'tide-1', base_url: `${model.site.origin}/v1` };
  const secrets = { api_key: 'sk-canary' };
  const { body } = await admin.post('/connections', { provider: 'openai', name: 'Model', config, secrets });
  return (body as { id: string }).id;
}

const extract = (connection_id: string, more: object = {}) => ({ connection_id, schema: SCHEMA, ...more });

describe('config.extract', () => {
  test('returns the values of the model with the page, without a body that was not requested', async () => {
    const config = { extract: extract(connection, { prompt: 'The retired one.' }) };
    const { page } = await workspace.writer.capture(web.url('/article'), { formats: 'text', config });
    expect(page).toMatchObject({
      extracted: VALUES,
      extraction: { model: 'tide-1', inputTokens: 100, outputTokens: 10, cached: false, truncated: false },
      extractError: null,
    });
    expect(page).not.toHaveProperty('markdown');
    expect(model.requests.at(-1)?.messages[1]?.content).toContain('Edda Marsh');
  });

  test('states why there are no values, and returns the page', async () => {
    model.reply = 'HACKED';
    const config = { extract: extract(connection, { prompt: 'Another task.' }) };
    const { page } = await workspace.writer.capture(web.url('/article'), { config });
    model.reply = JSON.stringify(VALUES);
    expect(page).toMatchObject({ verdict: 'ok', extracted: null, extractError: { code: 'invalid' } });
  });

  test('extracts from the pages of a crawl, whose list returns the values', async () => {
    const config = { extract: extract(connection) };
    const started = await workspace.writer.post('/crawl', {
      url: web.url('/article'),
      limit: 1,
      useSitemap: false,
      config,
    });
    const { id } = started.body as { id: string };
    const data = await until('the pages of the crawl', async () => {
      const { status, data } = (await workspace.writer.get(`/crawl/${id}`)).body as CrawlEnvelope;
      return status === 'done' && data.length > 0 && data;
    });
    expect(data).toMatchObject([{ extracted: VALUES, extractError: null }]);
  });

  test('of a project reports changed values as fields of the change record', async () => {
    const seed = `${shop.origin}/`;
    const schema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
    const config = { max_pages: 1, use_sitemap: false, extract: { connection_id: connection, schema } };
    const { id } = await makeProject(workspace.writer, { seed, config });
    model.reply = ({ messages }) => `{"price": ${/costs (\d+)/.exec(messages[1]?.content ?? '')?.[1] ?? 0}}`;
    prices.price = 24;
    await runToEnd(workspace.writer, id);
    prices.price = 29;
    const { id: runId } = await runToEnd(workspace.writer, id);
    const { entries } = await recordOf(workspace.writer, id, runId);
    expect(entries.flatMap(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ name: 'extracted.price', from: '24', to: '29' }),
    );
    const listed = await listPages(workspace.writer, id, '?fields=extracted');
    expect(listed.data).toEqual([{ extracted: { price: 29 } }]);
    const exported = await workspace.reader.get(
      `/projects/${id}/export?dataset=pages&format=jsonl&fields=url,extracted`,
    );
    expect(JSON.parse(exported.text)).toEqual({ url: seed, extracted: { price: 29 } });
  });

  test('uses the only connection of the workspace under the name default', async () => {
    model.reply = JSON.stringify(VALUES);
    const config = { extract: extract('default') };
    const { page } = await workspace.writer.capture(web.url('/article'), { config });
    // The same page, schema and model as of the crawl.
    expect(page).toMatchObject({ extracted: VALUES, extraction: { cached: true } });
  });

  test('counts the tokens of the month in the usage of the workspace', async () => {
    const tokens = await until('the tokens to be counted', async () => {
      const { month } = (await workspace.reader.get('/me/usage')).body as { month: { tokens: { count: number }[] } };
      return (month.tokens[0]?.count ?? 0) >= 5 && month.tokens;
    });
    // The page of the first test, two calls for the invalid response, one page of the crawl, two of the project.
    expect(tokens).toEqual([{ kind: 'extraction', model: 'tide-1', count: 5, inputTokens: 600, outputTokens: 60 }]);
  });

  test('of a batch and of a crawl states in the job how many values are missing, and why', async () => {
    const config = { extract: extract(connection, { prompt: 'A third task.' }) };
    const { writer } = workspace;
    model.reply = 'HACKED';
    const batch = await writer.post('/scrape', { urls: [web.url('/article'), `${shop.origin}/lamps`], config });
    const crawl = await writer.post('/crawl', { url: web.url('/article'), limit: 1, useSitemap: false, config });
    const ended = (route: string, { id }: { id: string }) =>
      until(`the end of ${route}/${id}`, async () => {
        const body = (await writer.get(`/${route}/${id}`)).body as CrawlEnvelope;
        return body.status === 'done' && body;
      });
    const [ofBatch, ofCrawl] = [
      await ended('scrape', batch.body as { id: string }),
      await ended('crawl', crawl.body as { id: string }),
    ];
    model.reply = JSON.stringify(VALUES);
    expect(ofBatch).toMatchObject({ counts: { ok: 2 }, missingValues: { invalid: 2 } });
    expect(ofCrawl).toMatchObject({ counts: { ok: 1 }, missingValues: { invalid: 1 } });
    const whole = await writer.post('/scrape', {
      urls: [web.url('/article')],
      config: { extract: extract(connection) },
    });
    expect(await ended('scrape', whole.body as { id: string })).not.toHaveProperty('missingValues');
  });

  test('is refused for a connection of another workspace, with the error for an unknown one, before anything is fetched', async () => {
    const other = await fleet.workspaces.make();
    for (const id of [await connect(other), 'con_01j5xq2w8se6fa7t0a6q1n3k2m'])
      for (const [path, body] of [
        ['/scrape', { url: web.url('/article') }],
        ['/scrape', { urls: [web.url('/article')] }],
        ['/crawl', { url: web.url('/article') }],
        ['/playground/extract', { url: web.url('/article') }],
      ] as const) {
        const response = await workspace.writer.post(path, { ...body, config: { extract: extract(id) } });
        expect(errorOf(response)).toMatchObject({ code: 'validation', fields: ['config.extract.connection_id'] });
        expect(response.status).toBe(422);
      }
  });
});
