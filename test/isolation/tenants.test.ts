import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { sealCursor } from '@tidemark/results';
import {
  bodyOf,
  NO_CONNECTION,
  NO_DELIVERY,
  NO_LOGIN,
  NO_NOTICE,
  NO_SYNC,
  queryOf,
  unusedId,
} from '../contract/unused-ids.ts';
import { type Api, type ApiResponse, errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import {
  NO_AUDIT,
  NO_DESTINATION,
  NO_INVOICE,
  NO_JOB,
  NO_KEY,
  NO_LOGGED,
  NO_PROJECT,
  NO_RUN,
  NO_USER,
  NO_WORKSPACE,
  pathOf,
} from '../harness/paths.ts';
import { newEmail } from '../harness/people.ts';
import { makeProject, startRun } from '../harness/projects.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
const MODEL = {
  config: { model: 'tide-1', base_url: 'https://models.example.com/v1' },
  secrets: { api_key: 'sk-isolation-secret' },
};
let mine: Workspace;
let otherTenant: Workspace;
/** Ids of one workspace's resources, by route path. */
let owned: Readonly<Record<string, string>>;
/** The run of its project. */
let ownRun: string;

beforeAll(async () => {
  [mine, otherTenant] = await Promise.all([fleet.workspaces.make(), fleet.workspaces.make()]);
  const job = await mine.writer.capture(web.url('/article'));
  const running = await mine.writer.scrape({ url: web.url('/gate/isolation'), timeout: 1 });
  const key = await fleet.workspaces.key(mine.id, { scopes: ['read'] });
  const invited = await mine.admin.post('/auth/invites', { email: newEmail(), role: 'viewer' });
  const invite = invited.body as { id: string };
  const previewed = await mine.writer.post('/playground/extract', { url: web.url('/tiny') });
  const { id: playground } = previewed.body as { id: string };
  const mapped = await mine.writer.post('/map', { url: web.url('/'), sitemapMode: 'skip' });
  const { id: map } = mapped.body as { id: string };
  const crawled = await mine.writer.post('/crawl', { url: web.url('/gate/isolation'), limit: 1, useSitemap: false });
  const { id: crawl } = crawled.body as { id: string };
  const seed = { seed: web.url('/gate/isolation'), config: { max_pages: 1, use_sitemap: false } };
  const { id: project } = await makeProject(mine.writer, seed);
  ownRun = (await startRun(mine.writer, project)).id;
  const session = { cookies: [{ name: 'sid', value: 'x' }], terms_accepted: true };
  const saved = await mine.writer.post('/logins', { site: web.url('/'), ...session });
  const { id: login } = saved.body as { id: string };
  const connected = await mine.admin.post('/connections', { provider: 'openai', name: 'Ours', ...MODEL });
  const { id: connection } = connected.body as { id: string };
  const receiver = { webhook_url: web.url('/tiny'), change_digest: { connection_id: connection } };
  const { id: notifying } = await makeProject(mine.writer, { seed: web.url('/article'), config: receiver });
  const tested = await mine.writer.post(`/projects/${notifying}/webhooks/test`, {});
  const { id: delivery } = tested.body as { id: string };
  const { destination, sync } = await makeSync();
  const { id: child } = (await mine.admin.post('/orgs/children', { name: 'Ours' })).body as { id: string };
  const ofChild = Object.values(routes).filter(({ path }) => path.startsWith('/orgs/children/'));
  const ofProject = Object.values(routes).filter(({ path }) => path.startsWith('/projects/{id}'));
  owned = {
    ...Object.fromEntries(ofProject.map(({ path }) => [path, project])),
    '/scrape/{id}': job.job.id,
    '/scrape/{id}/events': job.job.id,
    '/scrape/{id}/screenshot': job.job.id,
    '/map/{id}': map,
    '/crawl/{id}': crawl,
    '/crawl/{id}/page': crawl,
    '/crawl/{id}/screenshot': crawl,
    '/crawl/{id}/events': crawl,
    '/crawl/{id}/links': crawl,
    '/crawl/{id}/pause': crawl,
    '/crawl/{id}/resume': crawl,
    '/crawl/{id}/keep': crawl,
    '/crawl/{id}/export': crawl,
    '/logins/{id}': login,
    '/logins/{id}/test': login,
    '/webhooks/deliveries/{id}/redeliver': delivery,
    '/connections/{id}': connection,
    '/connections/{id}/test': connection,
    '/destinations/{id}': destination,
    '/destinations/{id}/syncs': destination,
    '/destinations/{id}/sync': destination,
    '/syncs/{id}': sync,
    '/syncs/{id}/events': sync,
    notifying,
    '/playground/{id}': playground,
    '/playground/{id}/screenshot': playground,
    running: running.job.id,
    '/me/keys/{id}': key.keyId,
    '/auth/invites/{id}': invite.id,
    '/auth/members/{user}': NO_USER,
    ...Object.fromEntries(ofChild.map(({ path }) => [path, child])),
  };
});
afterAll(async () => {
  web.open('isolation');
  await web.close();
  await fleet.close();
});

const DATABASE = {
  provider: 'postgresql',
  name: 'Ours',
  secrets: { password: 'isolation-secret' },
  config: { host: 'db.example.com', database: 'site', user: 'tidemark' },
};

/** Creates a destination and a sync that has ended. */
async function makeSync(): Promise<{ destination: string; sync: string }> {
  const { id: database } = (await mine.admin.post('/connections', DATABASE)).body as { id: string };
  const created = await mine.admin.post('/destinations', { name: 'Ours', connection_id: database });
  const { id: destination } = created.body as { id: string };
  const sync = NO_SYNC.replace('01j5', '01j4');
  await fleet.sql(
    `INSERT INTO export.syncs (id, workspace_id, destination_id, project_id, source_kind, source_id, dataset, mode, trigger, run_at,
       is_full_run, status, lease_until, request_id, created_at, ended_at)
     VALUES ($1, $2, $3, '', 'scrape', 'job_1', 'pages', 'upsert', 'request', now(), false, 'done', now(), 'req_1', now(), now())
     ON CONFLICT (id) DO UPDATE SET workspace_id = $2, destination_id = $3`,
    [sync, mine.id, destination],
  );
  return { destination, sync };
}

// Routes of a person refuse every key.
const withId = Object.values(routes).filter(
  (route: AnyRoute) => /\{(child_)?id\}/.test(route.path) && route.session?.only !== true,
);

const send = (api: Api, route: { method: string; path: string }, id: string, run = NO_RUN): Promise<ApiResponse> => {
  const body = bodyOf(route);
  const path = `${pathOf(route, id, run)}${queryOf(route)}`;
  return api.request(route.method.toUpperCase(), path, body === undefined ? {} : { body });
};
const errorWithoutId = (response: ApiResponse) => ({ ...errorOf(response), request_id: '' });

describe('a resource of another workspace', () => {
  test.each(withId)('returns 404 for $method $path to an admin key, as if it did not exist', async (route) => {
    const id = owned[route.path];
    if (id === undefined) throw new Error(`this test owns nothing to ask ${route.path} for; give it something`);
    const foreign = await send(otherTenant.admin, route, id, ownRun);
    const unknown = await send(otherTenant.admin, route, unusedId(route.path));
    expect(errorWithoutId(foreign)).toMatchObject({ status: 404, code: 'not_found' });
    expect(errorWithoutId(foreign)).toEqual(errorWithoutId(unknown));
    expect([...foreign.headers.keys()].sort()).toEqual([...unknown.headers.keys()].sort());
  });

  test('is not changed by these requests: the job continues, the page exists, the key works', async () => {
    await otherTenant.admin.delete(`/scrape/${owned['running']}`);
    await otherTenant.admin.delete(`/me/keys/${owned['/me/keys/{id}']}`);
    expect((await mine.reader.job(owned['running'] ?? '')).status).toBe('running');
    expect((await mine.reader.job(owned['/scrape/{id}'] ?? '')).data).toHaveLength(1);
    const { body } = await mine.admin.get('/me/keys');
    expect((body as { data: { id: string }[] }).data.map(({ id }) => id)).toContain(owned['/me/keys/{id}']);
  });

  test('is in no list', async () => {
    await otherTenant.writer.capture(web.url('/tiny'));
    const secret = [mine.id, ownRun, ...Object.values(owned)];
    const lists = Object.values(routes).filter(
      (route: AnyRoute) =>
        // The log of requests has the paths that the workspace itself requested, with the ids in them.
        !route.path.startsWith('/me/requests') &&
        route.method === 'get' &&
        !route.path.includes('{') &&
        route.scope !== 'public' &&
        route.session?.only !== true,
    );
    for (const { path } of lists) {
      const { status, text } = await otherTenant.admin.get(path);
      expect(status).toBe(200);
      for (const id of secret) expect(text).not.toContain(id);
    }
  });

  test('matches nothing as a filter of a list, as an unknown id does', async () => {
    const unknownProject = unusedId('/projects/{id}');
    for (const query of [
      `projectId=${owned['notifying']}`,
      `projectId=${owned['notifying']}&status=failed`,
      `projectId=${unknownProject}`,
      `runId=${ownRun}`,
      `runId=${NO_RUN}`,
    ])
      expect((await otherTenant.admin.get(`/webhooks/deliveries?${query}`)).body).toMatchObject({
        data: [],
        next: null,
      });
  });

  test('is rejected as the connection of a digest', async () => {
    const { id } = await makeProject(otherTenant.writer, { seed: web.url('/tiny') });
    const name = (connection: string | undefined) =>
      otherTenant.writer.patch(`/projects/${id}`, { config: { change_digest: { connection_id: connection } } });
    const foreign = errorWithoutId(await name(owned['/connections/{id}']));
    expect(foreign).toMatchObject({ status: 422, fields: ['config.change_digest.connection_id'] });
    expect(foreign).toEqual(errorWithoutId(await name(unusedId('/connections'))));
  });

  test('cannot be dismissed with a key, because a key has no inbox', async () => {
    for (const api of [otherTenant.reader, otherTenant.writer, otherTenant.admin])
      expect((await api.get('/me/notifications')).body).toMatchObject({ data: [], next: null });
    for (const id of [NO_NOTICE, 'nonsense'])
      expect(errorWithoutId(await otherTenant.admin.post(`/me/notifications/${id}/seen`, {}))).toMatchObject({
        status: 404,
        code: 'not_found',
      });
  });

  test('is not counted in credits or usage', async () => {
    const fresh = await fleet.workspaces.make();
    expect(await fresh.reader.credits()).toMatchObject({ remaining: 1_000, usedThisMonth: 0 });
    expect((await fresh.reader.get('/me/usage')).body).toMatchObject({ month: { pages: 0, credits: 0 } });
  });
});

describe('the header x-service-tenant', () => {
  const keyed = Object.values(routes).filter((route: AnyRoute) => route.scope !== 'public');
  const sendFor = (api: Api, route: AnyRoute, tenant: string) =>
    api.request(route.method.toUpperCase(), pathOf(route, owned[route.path] ?? 'nothing', ownRun), {
      headers: { 'x-service-tenant': tenant },
      ...(['post', 'patch'].includes(route.method) ? { body: {} } : {}),
    });

  test.each(keyed)('returns 404 for $method $path if it names another workspace, existing or not', async (route) => {
    const existing = errorWithoutId(await sendFor(otherTenant.admin, route, mine.id));
    const unknown = errorWithoutId(await sendFor(otherTenant.admin, route, 'ws_01j5xq2w8se6fa7t0a6q1n3k2m'));
    expect(existing).toMatchObject({ status: 404, code: 'not_found' });
    expect(existing).toEqual(unknown);
  });

  test('has no effect if it names the caller’s own workspace', async () => {
    expect((await mine.reader.get('/me', { 'x-service-tenant': mine.id })).status).toBe(200);
  });

  test.each(['', '*', 'nonsense', '../'])('gives no access with the value %j', async (tenant) => {
    const { status, text } = await otherTenant.reader.get('/me', { 'x-service-tenant': tenant });
    expect([200, 404]).toContain(status);
    expect(text).not.toContain(mine.id);
  });
});

const fieldsOf = (schema: unknown): readonly string[] =>
  Object.keys(Object(typeof schema === 'object' && schema !== null && 'shape' in schema ? schema.shape : {}));
/** The cursor of listDiscoveryEntries is a number of URLs to skip, not a position in the list of a workspace. */
const lists = Object.values(routes).filter(
  ({ id, query, body }: AnyRoute) =>
    id !== 'listDiscoveryEntries' && [...fieldsOf(query), ...fieldsOf(body)].includes('cursor'),
);

/** A position in each list whose positions are not numbers. */
const positions = (): Readonly<Record<string, string>> => ({
  listScrapes: NO_JOB,
  listCrawls: NO_RUN,
  listProjects: NO_PROJECT,
  listChanges: `1:${NO_RUN}:1`,
  listRuns: NO_RUN,
  listKeys: NO_KEY,
  listChildren: NO_WORKSPACE,
  listAudit: NO_AUDIT,
  listRequests: NO_LOGGED,
  listInvoices: NO_INVOICE,
  listReceipts: NO_INVOICE,
  listChildKeys: NO_KEY,
  listLogins: NO_LOGIN,
  listWebhooks: `${NO_PROJECT}:webhook`,
  listDeliveries: NO_DELIVERY,
  listConnections: NO_CONNECTION,
  listDestinations: NO_DESTINATION,
  listSyncs: NO_SYNC,
  listProjectDestinations: NO_DESTINATION,
  listProjectSyncs: NO_SYNC,
  listNotices: NO_NOTICE,
  listRunLinks: web.url('/'),
  listCrawlLinks: web.url('/'),
  searchPages: `${ownRun}.1`,
  listPageVersions: 'cap_01j5xq2w8se6fa7t0a6q1n3k2m',
});

describe('a cursor', () => {
  test.each(lists)('of $method $path is refused with 422 by other lists and workspaces', async (route) => {
    const path = pathOf(route, owned[route.path] ?? '', ownRun);
    const position = positions()[route.id] ?? '7';
    const cursorIn = (list: { workspaceId: string; path: string }) => sealCursor(list, position);
    const query = queryOf(route) === '' ? '?' : `${queryOf(route)}&`;
    const sendCursor = (api: Api, cursor: string) =>
      route.method === 'get'
        ? api.get(`${path}${query}cursor=${cursor}`)
        : api.request(route.method.toUpperCase(), path, { body: { ...bodyOf(route), cursor } });
    const own = cursorIn({ workspaceId: mine.id, path });
    expect((await sendCursor(mine.admin, own)).status).not.toBe(422);
    const wrong: readonly (readonly [Api, string])[] = [
      [otherTenant.admin, own],
      [mine.admin, cursorIn({ workspaceId: otherTenant.id, path })],
      [mine.admin, cursorIn({ workspaceId: mine.id, path: `${path}/other` })],
      [mine.admin, own.replace(/^./, (first) => (first === 'a' ? 'b' : 'a'))],
      [mine.admin, position],
    ];
    for (const [api, cursor] of wrong) {
      // A path of another workspace may answer 404 before its cursor is read.
      const foreignPath = api === otherTenant.admin && route.path.includes('{');
      const error = errorOf(await sendCursor(api, cursor));
      if (foreignPath && error.status === 404) continue;
      expect(error).toMatchObject({ status: 422, code: 'validation', fields: ['cursor'] });
    }
  });
});
