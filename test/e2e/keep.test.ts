import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CrawlEnvelope, Project, RunSummary } from '@tidemark/api';
import { errorOf } from '../harness/api.ts';
import { recordOf } from '../harness/changes.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { listPages, listRuns, readProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const fleet = sharedFleet();
let site: HarbourSite;
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  site = await startHarbour('127.0.0.5');
});
afterAll(async () => {
  site.close();
  await fleet.close();
});

type Kept = Project & { readonly run: RunSummary };

async function crawl(order: object): Promise<string> {
  const { status, body, text } = await workspace.writer.post('/crawl', { url: `${site.origin}/`, ...order });
  if (status !== 202) throw new Error(`expected a crawl, got ${status} ${text}`);
  return (body as CrawlEnvelope).id;
}

const isDone = async (id: string): Promise<boolean> =>
  ((await workspace.reader.get(`/crawl/${id}?formats=none`)).body as CrawlEnvelope).status === 'done';

test('a crawl that is kept becomes a project with its configuration and its run', async () => {
  const id = await crawl({
    limit: 3,
    excludePaths: ['/gone'],
    scrapeOptions: { formats: ['markdown', 'links'] },
    config: { min_words: 2, notify_min_words: 5, webhook_events: ['run.finished'] },
  });
  await until('the crawl has ended', () => isDone(id));
  const order = { name: 'Kept', schedule: 'weekly', retention: 30, timezone: 'Europe/Berlin' };
  const { status, headers, body } = await workspace.writer.post(`/crawl/${id}/keep`, order);
  expect(status).toBe(201);
  const kept = body as Kept;
  expect(headers.get('location')).toBe(`${fleet.url}/v1/projects/${kept.id}`);
  expect(kept).toMatchObject({
    ...order,
    seed: `${site.origin}/`,
    health: 'ok',
    lastRun: { id },
    run: { id, projectId: kept.id, trigger: 'crawl' },
  });
  expect((await readProject(workspace.reader, kept.id)).config).toEqual({
    max_pages: 3,
    exclude_paths: ['/gone'],
    formats: ['markdown', 'links'],
    min_words: 2,
    notify_min_words: 5,
    webhook_events: ['run.finished'],
  });
  expect((await listRuns(workspace.reader, kept.id)).data.map((run) => run.id)).toEqual([id]);
  const pages = await until('its pages can be read as the project’s', async () => {
    const list = await listPages(workspace.reader, kept.id);
    return list.runId === id && list.next === null ? list : false;
  });
  expect(pages.data).toHaveLength(3);
  expect((await workspace.reader.get(`/crawl/${id}`)).status).toBe(200);
  const next = await runToEnd(workspace.writer, kept.id);
  expect(next.progress.done).toBe(3);
}, 90_000);

test.each([undefined, { store_html: 'always', volatile_selectors: ['.related'] }] as const)(
  'the first run after a crawl was kept records the edits since the crawl, with the config %j',
  async (config) => {
    site.fee = 12;
    const id = await crawl({ limit: 10, ...(config === undefined ? {} : { config }) });
    await until('the crawl has ended', () => isDone(id));
    const kept = (await workspace.writer.post(`/crawl/${id}/keep`, {})).body as Kept;
    site.fee = 34;
    const run = await runToEnd(workspace.writer, kept.id);
    const { baseline, counts, entries } = await recordOf(workspace.reader, kept.id, run.id);
    expect(baseline).toBe(id);
    expect(entries).toMatchObject([{ url: `${site.origin}/prices`, kind: 'modified' }]);
    expect(counts).toMatchObject({ modified: 1, unverified: 0 });
  },
  90_000,
);

test('a repeated request returns the project of the first, while the crawl keeps running', async () => {
  site.gate = Promise.withResolvers();
  const { body: begun } = await workspace.writer.post('/crawl', {
    url: `${site.origin}/slow`,
    limit: 1,
    useSitemap: false,
  });
  const { id } = begun as CrawlEnvelope;
  const first = await workspace.writer.post(`/crawl/${id}/keep`, {});
  const again = await workspace.writer.post(`/crawl/${id}/keep`, { name: 'Another' });
  expect([first.status, again.status]).toEqual([201, 201]);
  expect((again.body as Kept).id).toBe((first.body as Kept).id);
  expect(first.body).toMatchObject({ name: null, schedule: 'manual', retention: 90 });
  site.gate.resolve();
  await until('the run has ended', () => isDone(id));
  const health = async () => (await readProject(workspace.reader, (first.body as Kept).id)).lastRun?.id === id;
  await until('the project to show its run', health);
});

test('keeping a run that belongs to a project is a conflict', async () => {
  const { body } = await workspace.writer.post('/projects', {
    seed: `${site.origin}/prices`,
    config: { max_pages: 1 },
  });
  const run = await runToEnd(workspace.writer, (body as Project).id);
  const response = await workspace.writer.post(`/crawl/${run.id}/keep`, {});
  expect(errorOf(response)).toMatchObject({ status: 409, code: 'conflict' });
});
