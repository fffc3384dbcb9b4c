import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { queries } from '../contract/unused-ids.ts';
import type { Api, ApiResponse } from '../harness/api.ts';
import { errorOf } from '../harness/api.ts';
import { type BusRecorder, recordBus } from '../harness/bus-recorder.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { pathOf } from '../harness/paths.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

/** Part of every secret that is stored here; lower-case hexadecimal, so that it is also found in an encoded form. */
const CANARY = `c0ffee${crypto.randomUUID().replaceAll('-', '').slice(0, 14)}`;

const fleet = sharedFleet();
const web = await startWeb();
const responses: { readonly request: string; readonly text: string }[] = [];
let bus: BusRecorder;
let workspace: Workspace;
let project = '';
let run = '';
const ids: Record<string, string> = {};

const config = {
  max_pages: 1,
  use_sitemap: false,
  headers: { Authorization: `Bearer ${CANARY}1`, 'X-Api-Key': `${CANARY}2`, 'X-Ticket': `${CANARY}3` },
  cookies: { sid: `${CANARY}4` },
};
const receivers = () => ({
  webhook_url: web.url(`/hooks/${CANARY}5?token=${CANARY}6`),
  chat_url: web.url(`/hooks/${CANARY.padEnd(26, 'a')}`),
});

/** Sends a request and keeps the text and headers of its response. */
async function send(api: Api, method: string, path: string, body?: unknown): Promise<ApiResponse> {
  const response = await api.request(method, path, body === undefined ? {} : { body });
  responses.push({
    request: `${method} ${path}`,
    text: `${response.text}\n${[...response.headers].flat().join('\n')}`,
  });
  return response;
}

const idOf = (response: ApiResponse): string => (response.body as { id: string }).id;

const isDone = (path: string) => async (): Promise<boolean> => {
  const { body } = await workspace.reader.get(path);
  return (body as { status: string }).status === 'done';
};

/** Stores secrets in every place of the interface that stores one. */
async function storeSecrets(): Promise<void> {
  const { writer, admin } = workspace;
  const { max_pages: _, use_sitemap: __, ...request } = config;
  project = (await makeProject(writer, { seed: web.url('/article'), config: { ...config, ...receivers() } })).id;
  const typed = { ...request, actions: [{ type: 'type', selector: '#none', text: `${CANARY}9` }] };
  await send(writer, 'POST', '/projects', { seed: web.url('/tiny'), config: typed });
  await send(writer, 'POST', '/scrape', { urls: [web.url('/tiny')], config: typed });
  ids['/scrape'] = idOf(await send(writer, 'POST', '/scrape', { url: web.url('/tiny'), config: request }));
  const batch = { urls: [web.url('/tiny')], config: request, webhook_url: receivers().webhook_url };
  const batchId = idOf(await send(writer, 'POST', '/scrape', batch));
  const playground = { url: web.url('/tiny'), config: request };
  ids['/playground'] = idOf(await send(writer, 'POST', '/playground/extract', playground));
  const crawl = { url: web.url('/article'), config, webhook: { url: receivers().webhook_url } };
  ids['/crawl'] = idOf(await send(writer, 'POST', '/crawl', crawl));
  const session = { site: web.url('/'), cookies: [{ name: 'sid', value: `${CANARY}7` }], terms_accepted: true };
  ids['/logins'] = idOf(await send(writer, 'POST', '/logins', session));
  const model = { config: { model: 'tide-1', base_url: 'https://models.example.com/v1' } };
  const order = { provider: 'openai', name: 'Ours', ...model, secrets: { api_key: `${CANARY}8` } };
  ids['/connections'] = idOf(await send(admin, 'POST', '/connections', order));
  run = (await runToEnd(writer, project)).id;
  for (const path of [`/crawl/${ids['/crawl']}`, `/scrape/${batchId}`, `/playground/${ids['/playground']}`])
    await until(`${path} to end`, isDone(path));
  await send(writer, 'POST', `/crawl/${ids['/crawl']}/keep`, {});
}

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  bus = await recordBus(fleet.natsUrl);
  await storeSecrets();
}, 120_000);
afterAll(async () => {
  bus.close();
  await web.close();
  await fleet.close();
});

test('stored headers, cookies and addresses are still used for requests to the site and its receivers', async () => {
  const [hit] = web.hits('/article').filter(({ headers }) => headers['x-ticket'] !== undefined);
  expect(hit?.headers).toMatchObject({ authorization: `Bearer ${CANARY}1`, 'x-api-key': `${CANARY}2` });
  expect(hit?.headers.cookie).toContain(`sid=${CANARY}4`);
  await until('a message at the webhook', () => web.hits(`/hooks/${CANARY}5`).length > 0);
});

test('no response to a key of any scope contains a stored secret', async () => {
  const reading = Object.values(routes).filter((route: AnyRoute) => route.method === 'get' && route.scope !== 'public');
  for (const api of [workspace.admin, workspace.writer, workspace.reader])
    for (const { path } of reading) {
      const id = Object.entries(ids).find(([start]) => path.startsWith(start))?.[1] ?? project;
      await send(api, 'GET', `${pathOf({ path }, id, run)}${queries[path] ?? ''}`);
    }
  const { writer, admin } = workspace;
  const at = `/projects/${project}`;
  await send(writer, 'PATCH', at, { config: { min_words: 2 } });
  await send(writer, 'POST', `${at}/dry-run`, {});
  await send(writer, 'POST', `${at}/sources/preview`, {});
  await send(writer, 'POST', `${at}/content/preview`, {});
  await send(writer, 'POST', `${at}/webhooks/test`, {});
  await send(admin, 'POST', `${at}/webhooks/secret`, {});
  await send(writer, 'POST', `${at}/pages/recrawl`, { urls: [web.url('/article')] });
  await send(writer, 'POST', '/projects/batch', { seeds: [web.url('/tiny')], template_project_id: project });
  await send(admin, 'POST', `/connections/${ids['/connections']}/test`, {});
  await send(writer, 'POST', `/logins/${ids['/logins']}/test`, {});
  const exposed = responses.filter(({ text }) => text.includes(CANARY)).map(({ request }) => request);
  expect(exposed).toEqual([]);
}, 120_000);

test('no refusal quotes a secret that it refuses', async () => {
  const refused = [
    { headers: { authorization: `${CANARY}\n` } },
    { headers: { 'bad name': CANARY } },
    { cookies: { sid: `${CANARY};x` } },
    { webhook_url: `http://169.254.169.254/?token=${CANARY}` },
    { webhook_url: `ftp://hooks.example/${CANARY}` },
    { chat_url: `https://elsewhere.example/${CANARY}` },
  ];
  for (const change of refused) {
    const response = await workspace.writer.patch(`/projects/${project}`, { config: change });
    expect({ change: Object.keys(change), status: response.status }).toEqual({
      change: Object.keys(change),
      status: 422,
    });
    expect(response.text).not.toContain(CANARY);
  }
});

test('a masked configuration can be sent back unchanged, and its masks are refused elsewhere', async () => {
  const { writer } = workspace;
  const read = (await writer.get(`/projects/${project}`)).body as { config: object; configVersion: number };
  const same = await writer.patch(`/projects/${project}`, { config: read.config });
  expect(same.body).toMatchObject({ config: read.config, configVersion: read.configVersion });
  for (const [path, body] of [
    ['/projects', { seed: web.url('/tiny'), config: read.config }],
    ['/crawl', { url: web.url('/tiny'), config: read.config }],
    ['/scrape', { url: web.url('/tiny'), config: { headers: { authorization: '***' } } }],
    ['/scrape', { url: web.url('/tiny'), scrapeOptions: { headers: { authorization: '***' } } }],
    ['/playground/extract', { url: web.url('/tiny'), config: { cookies: { sid: '***' } } }],
  ] as const) {
    const refused = errorOf(await writer.post(path, body));
    expect(refused).toMatchObject({ status: 422, code: 'validation' });
    expect(refused.error).toContain('masked');
  }
});

test('no message on the bus contains a stored secret', () => {
  const received = bus.text();
  for (const subject of ['MSG event.page.captured', 'MSG event.run.watched', 'MSG event.batch.ended', 'MSG work.'])
    expect({ subject, isRecorded: received.includes(subject) }).toEqual({ subject, isRecorded: true });
  expect(received.includes(CANARY)).toBe(false);
});

test('no row of a service contains a stored secret in plain text', async () => {
  const tables = await fleet.sql<{ name: string }>(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const hex = Buffer.from(CANARY).toString('hex');
  const exposed: string[] = [];
  for (const { name } of tables) {
    const rows = await fleet.sql(
      `SELECT FROM ${name} t WHERE position($1 in t::text) > 0 OR position($2 in t::text) > 0 LIMIT 1`,
      [CANARY, hex],
    );
    if (rows.length > 0) exposed.push(name);
  }
  expect(tables.length).toBeGreaterThan(20);
  expect(exposed).toEqual([]);
});

test('no log line and no metric contains a stored secret', async () => {
  const folder = join(fleet.dataDir, 'logs');
  const logs = readdirSync(folder).filter((file) => readFileSync(join(folder, file), 'utf8').includes(CANARY));
  expect(logs).toEqual([]);
  for (const [service, address] of Object.entries(fleet.http)) {
    const metrics = await (await fetch(`http://${address}/metrics`)).text();
    expect({ service, exposed: metrics.includes(CANARY) }).toEqual({ service, exposed: false });
  }
});
