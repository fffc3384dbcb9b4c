import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { sealCursor } from '@tidemark/results';
import { bodyOf, NO_DELIVERY, NO_LOGIN, queryOf } from '../contract/unused-ids.ts';
import { type Api, type ApiResponse, errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { NO_PROJECT, NO_RUN, pathOf } from '../harness/paths.ts';
import { makeProject, readProject, readRun, runToEnd, startRun } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
const config = { max_pages: 1, use_sitemap: false };
let workspace: Workspace;
/** A project inside the key's list and one outside, each with a run. */
let shown: string;
let hidden: string;
let hiddenRun: string;
let hiddenLogin: string;
/** A key of scope admin that is limited to one project. */
let restricted: Api;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  ({ id: shown } = await makeProject(workspace.writer, { seed: web.url('/tiny'), config }));
  ({ id: hidden } = await makeProject(workspace.writer, { seed: web.url('/article'), config }));
  ({ id: hiddenRun } = await runToEnd(workspace.writer, hidden));
  const session = { site: web.url('/'), cookies: [{ name: 'sid', value: 'x' }], terms_accepted: true };
  hiddenLogin = ((await workspace.writer.post('/logins', session)).body as { id: string }).id;
  restricted = await fleet.workspaces.key(workspace.id, { scopes: ['admin'], projects: [shown] });
});
afterAll(async () => {
  web.open('hidden');
  await web.close();
  await fleet.close();
});

const errorWithoutId = (response: ApiResponse) => ({ ...errorOf(response), request_id: '' });
const ofProject = Object.values(routes).filter(({ path }) => path.startsWith('/projects/{id}'));
const ofWorkspace = Object.values(routes).filter(({ reach }: AnyRoute) => reach === 'workspace');
const ofCrawl = Object.values(routes).filter(({ path }) => path.startsWith('/crawl/{id}'));

/** Required body of a route; other ids in it belong to the key. */
const sent = ({ path, method }: AnyRoute): object | undefined => {
  if (path.endsWith('/config/apply')) return { project_ids: [shown], groups: ['all'] };
  return method === 'post' || method === 'patch' ? (bodyOf({ method, path }) ?? {}) : undefined;
};

const send = (api: Api, route: AnyRoute, id: string, run = NO_RUN): Promise<ApiResponse> => {
  const body = sent(route);
  const sending = body === undefined ? {} : { body };
  return api.request(route.method.toUpperCase(), `${pathOf(route, id, run)}${queryOf(route)}`, sending);
};

describe('a key for some projects', () => {
  test.each(ofProject)(
    'gets 404 for the others on $method $path, with the message of a project that does not exist',
    async (route) => {
      const response = errorWithoutId(await send(restricted, route, hidden, hiddenRun));
      expect(response).toMatchObject({ status: 404, code: 'not_found' });
      expect(response).toEqual(errorWithoutId(await send(restricted, route, NO_PROJECT)));
    },
  );

  test.each(ofCrawl)('gets 404 for a run of the others on $method $path', async (route) => {
    const response = errorWithoutId(await send(restricted, route, hiddenRun));
    expect(response).toMatchObject({ status: 404, code: 'not_found' });
    expect(response).toEqual(errorWithoutId(await send(restricted, route, NO_RUN)));
  });

  test('cannot read a run of the others through its own project', async () => {
    const at = `run_id=${hiddenRun}&url=${encodeURIComponent(web.url('/article'))}`;
    const paths = ['content', 'screenshot', 'removed'].map((name) => `pages/${name}?${at}`);
    for (const path of [`runs/${hiddenRun}`, `runs/${hiddenRun}/links`, `pages?run_id=${hiddenRun}`, ...paths])
      expect(errorWithoutId(await restricted.get(`/projects/${shown}/${path}`))).toMatchObject({
        status: 404,
        code: 'not_found',
      });
    const search = { q: 'tide', run_id: hiddenRun };
    const list = { workspaceId: workspace.id, path: `/projects/${shown}/pages/search` };
    for (const body of [search, { q: 'tide', cursor: sealCursor(list, `${hiddenRun}.1`) }])
      expect(errorWithoutId(await restricted.post(`/projects/${shown}/pages/search`, body))).toMatchObject({
        status: 404,
      });
  });

  test.each(ofWorkspace)('is refused with 403 by $method $path, even with the scope admin', async (route) => {
    const { keyId } = await fleet.workspaces.key(workspace.id, { scopes: ['read'] });
    const sending = 'example' in route ? { body: route.example } : {};
    const response = await restricted.request(route.method.toUpperCase(), pathOf(route, keyId), sending);
    expect(errorOf(response)).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await workspace.admin.get('/me/keys?limit=1000')).text).toContain(keyId);
  });

  test('lists only its own projects', async () => {
    const { body, text } = await restricted.get('/projects');
    expect(body).toMatchObject({ data: [{ id: shown }], next: null });
    expect(text).not.toContain(hidden);
  });

  test('cannot copy configuration to the others, nor from them', async () => {
    const to = await restricted.post(`/projects/${shown}/config/apply`, { project_ids: [hidden], groups: ['all'] });
    const unknown = { project_ids: [NO_PROJECT], groups: ['all'] };
    expect(errorWithoutId(to)).toEqual(
      errorWithoutId(await restricted.post(`/projects/${shown}/config/apply`, unknown)),
    );
    const template = { seeds: [web.url('/article')], template_project_id: hidden };
    const from = errorWithoutId(await restricted.post('/projects/batch', template));
    expect(from).toMatchObject({ status: 404, code: 'not_found' });
    expect(from).toEqual(
      errorWithoutId(await restricted.post('/projects/batch', { ...template, template_project_id: NO_PROJECT })),
    );
  });

  test('cannot start runs of the others together with its own', async () => {
    const { status, body } = await restricted.post('/projects/run', { project_ids: [hidden, NO_PROJECT] });
    expect(status).toBe(202);
    const { data } = body as { data: { run: unknown; code: string; error: string }[] };
    expect(data).toMatchObject([
      { projectId: hidden, run: null, code: 'not_found' },
      { projectId: NO_PROJECT, run: null, code: 'not_found' },
    ]);
    expect(data[0]?.error).toBe(data[1]?.error);
  });

  test('finds by a tag, and starts by a tag, only its own projects', async () => {
    for (const id of [shown, hidden]) await workspace.admin.patch(`/projects/${id}`, { tags: ['shared'] });
    const { body, text } = await restricted.get('/projects?tag=shared');
    expect(body).toMatchObject({ data: [{ id: shown }], next: null });
    expect(text).not.toContain(hidden);
    const started = await restricted.post('/projects/run', { tag: 'shared' });
    expect(started).toMatchObject({ status: 202, body: { data: [{ projectId: shown }] } });
    expect(started.text).not.toContain(hidden);
    const { data } = started.body as { data: { run: { id: string } }[] };
    for (const { run } of data)
      await until(
        'the run to end',
        async () => (await readRun(restricted, { projectId: shown, id: run.id })).status === 'done',
      );
  });

  test('sees only the saved logins of its own projects and cannot fetch with any other', async () => {
    const response = errorWithoutId(await send(restricted, routes.testLogin, hiddenLogin));
    expect(response).toMatchObject({ status: 404, code: 'not_found' });
    expect(response).toEqual(errorWithoutId(await send(restricted, routes.testLogin, NO_LOGIN)));
    expect((await restricted.get('/logins')).body).toMatchObject({ data: [], next: null });
    for (const route of [routes.patchLogin, routes.deleteLogin])
      expect(errorWithoutId(await send(restricted, route, hiddenLogin))).toMatchObject({
        status: 404,
        code: 'not_found',
      });
    for (const path of ['/scrape', '/crawl', '/playground/extract']) {
      const order = { url: web.url('/tiny'), config: { login_id: hiddenLogin } };
      expect(errorWithoutId(await restricted.post(path, order))).toMatchObject({ status: 404, code: 'not_found' });
    }
    const naming = await restricted.patch(`/projects/${shown}`, { config: { login_id: hiddenLogin } });
    expect(errorWithoutId(naming)).toMatchObject({ status: 404, code: 'not_found' });
    expect((await workspace.reader.get('/logins')).body).toMatchObject({ data: [{ id: hiddenLogin, projects: [] }] });
  });

  test('lists receivers and deliveries of its own projects, and cannot redeliver those of others', async () => {
    const receiver = { config: { webhook_url: web.url('/tiny') } };
    const sent = new Map<string, string>();
    for (const id of [shown, hidden]) {
      await workspace.writer.patch(`/projects/${id}`, receiver);
      const { body } = await workspace.writer.post(`/projects/${id}/webhooks/test`, {});
      sent.set(id, (body as { id: string }).id);
    }
    expect((await restricted.get('/webhooks')).body).toMatchObject({ data: [{ projectId: shown }], next: null });
    expect((await restricted.get('/webhooks/deliveries')).body).toMatchObject({ data: [{ id: sent.get(shown) }] });
    expect((await restricted.get(`/webhooks/deliveries?projectId=${hidden}`)).body).toMatchObject({ data: [] });
    const again = errorWithoutId(await send(restricted, routes.redeliver, sent.get(hidden) ?? ''));
    expect(again).toMatchObject({ status: 404, code: 'not_found' });
    expect(again).toEqual(errorWithoutId(await send(restricted, routes.redeliver, NO_DELIVERY)));
    await workspace.writer.patch(`/projects/${hidden}`, { config: { webhook_url: null } });
  });

  test('has changed nothing of the others by these requests', async () => {
    expect(await readProject(workspace.reader, hidden)).toMatchObject({ configVersion: 3, lastRun: { id: hiddenRun } });
  });

  test('has full access to its own projects', async () => {
    const run = await startRun(restricted, shown);
    expect((await restricted.get(`/projects/${shown}/runs/${run.id}`)).status).toBe(200);
    expect((await restricted.get(`/crawl/${run.id}`)).status).toBe(200);
  });
});

describe('a key for some projects, outside projects', () => {
  /** A job of each kind that another key started, and one that the key started. */
  const others: Record<string, string> = {};
  const own: Record<string, string> = {};
  const ORDERS: readonly (readonly [kind: 'scrape' | 'crawl' | 'map', body: object])[] = [
    ['scrape', { url: web.url('/tiny') }],
    ['crawl', { url: web.url('/tiny'), config }],
    ['map', { url: web.url('/tiny') }],
  ];
  const ofJob = Object.values(routes).flatMap((route) => {
    const kind = ORDERS.find(([name]) => route.path.startsWith(`/${name}/{id}`))?.[0];
    const other = route.path.startsWith('/playground/{id}') ? ('scrape' as const) : kind;
    return other === undefined ? [] : [{ route, kind: other, name: `${route.method} ${route.path}` }];
  });
  const idOf = ({ body }: ApiResponse): string => (body as { id: string }).id;

  beforeAll(async () => {
    for (const [kind, body] of ORDERS) {
      others[kind] = idOf(await workspace.writer.post(`/${kind}`, body));
      own[kind] = idOf(await restricted.post(`/${kind}`, body));
    }
  });

  test.each(ofJob)(
    'gets 404 for work that another key started on $name, as for an unknown id',
    async ({ route, kind }) => {
      const response = errorWithoutId(await send(restricted, route, others[kind] ?? ''));
      expect(response).toMatchObject({ status: 404, code: 'not_found' });
    },
  );

  test.each(ORDERS)('reads its own %s, and the work of others is as before', async (kind) => {
    expect((await restricted.get(`/${kind}/${own[kind]}`)).status).toBe(200);
    const { status, body } = await workspace.reader.get(`/${kind}/${others[kind]}`);
    expect({ status, body }).not.toMatchObject({ body: { status: 'cancelled' } });
    expect(status).toBe(200);
  });

  test('lists its own captures and crawls only', async () => {
    for (const kind of ['scrape', 'crawl'] as const) {
      const { text } = await restricted.get(`/${kind}?limit=100`);
      expect([text.includes(own[kind] ?? ''), text.includes(others[kind] ?? '')]).toEqual([true, false]);
    }
  });

  test('sees its own unfinished work only', async () => {
    const slow = { url: web.url('/gate/monitored'), timeout: 1 };
    const notOwn = idOf(await workspace.writer.post('/scrape', slow));
    const mine = idOf(await restricted.post('/scrape', slow));
    const ids = async (api: Api) =>
      ((await api.get('/me/monitor')).body as { jobs: { id: string }[] }).jobs.map(({ id }) => id);
    const [seen, all] = [await ids(restricted), await ids(workspace.reader)];
    web.open('monitored');
    expect([seen.includes(mine), seen.includes(notOwn)]).toEqual([true, false]);
    expect(all).toEqual(expect.arrayContaining([mine, notOwn]));
  });

  test('does not get the result of another key by its Idempotency-Key', async () => {
    const order = { url: web.url('/tiny') };
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await workspace.writer.request('POST', '/scrape', { body: order, headers });
    expect(first.status).toBe(200);
    expect(errorOf(await restricted.request('POST', '/scrape', { body: order, headers }))).toMatchObject({
      status: 409,
      code: 'conflict',
    });
  });
});
