import { afterAll, describe, expect, test } from '@jest/globals';
import { type Api, errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Person } from '../harness/people.ts';
import { makeProject, startRun } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
const MODEL = { config: { model: 'm', base_url: 'https://models.example.com/v1' }, secrets: { api_key: 'sk-x' } };

afterAll(async () => {
  await web.close();
  await fleet.close();
});

/** Tables that keep the id of a deleted workspace, so that late events of it are refused, and the record of its welcome credits. */
const TOMBSTONES = ['workspace_states', 'outbox', 'deleted_projects', 'discarded_runs', 'welcome_grants'];

async function workspaceOf(person: Person): Promise<{ id: string; name: string }> {
  const { body } = await person.get('/auth/session');
  return (body as { workspace: { id: string; name: string } }).workspace;
}
const remove = (person: Api, name: string, headers: Readonly<Record<string, string>> = {}) =>
  person.request('DELETE', `/auth/workspace?name=${encodeURIComponent(name)}`, { headers });

/** Returns the tables of all services that have rows of these workspaces. */
async function tablesWith(workspaceIds: readonly string[]): Promise<string[]> {
  const tables = await fleet.sql<{ name: string }>(
    `SELECT c.table_schema || '.' || c.table_name AS name FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.column_name IN ('workspace_id', 'parent_id') AND t.table_type = 'BASE TABLE' AND c.table_name <> ALL($1)
     UNION SELECT 'identity.workspaces'`,
    [TOMBSTONES],
  );
  const counts = await Promise.all(
    tables.map(async ({ name }) => {
      const column =
        name === 'identity.workspaces' ? 'id' : name.endsWith('child_requests') ? 'parent_id' : 'workspace_id';
      return (await fleet.sql(`SELECT 1 FROM ${name} WHERE ${column} = ANY($1) LIMIT 1`, [workspaceIds])).length;
    }),
  );
  return tables.filter((_, i) => (counts[i] ?? 0) > 0).map(({ name }) => name);
}

/** Makes data of every service. @returns ids of work in progress */
async function fill(api: Api): Promise<{ crawl: string }> {
  await api.capture(web.url('/article'));
  await api.scrape({ urls: [web.url('/tiny'), web.url('/gate/deleted-batch')], webhook_url: web.url('/tiny') });
  await api.post('/map', { url: web.url('/'), sitemapMode: 'skip' });
  const { id: project } = await makeProject(api, {
    seed: web.url('/article'),
    schedule: 'daily',
    config: { max_pages: 1, use_sitemap: false, webhook_url: web.url('/tiny') },
  });
  await startRun(api, project);
  await api.post(`/projects/${project}/webhooks/test`, {});
  await api.post('/connections', { provider: 'openai', name: 'Ours', ...MODEL });
  await api.post('/logins', { site: web.url('/'), cookies: [{ name: 'sid', value: 'x' }], terms_accepted: true });
  await api.post('/me/keys', { name: 'x' });
  await api.post('/auth/invites', { email: 'somebody@example.com', role: 'viewer' });
  const crawl = await api.post(
    '/crawl',
    { url: web.url('/gate/deleted'), limit: 2, useSitemap: false },
    { 'idempotency-key': 'x' },
  );
  const { id } = crawl.body as { id: string };
  const recorded = () => fleet.sql(`SELECT 1 FROM diff.records WHERE project_id = $1`, [project]);
  await until('the record of the run', async () => (await recorded()).length > 0);
  return { crawl: id };
}

describe('DELETE /auth/workspace', () => {
  test('deletes the workspace and its sub-accounts with all data of every service, and cancels their work', async () => {
    const owner = await fleet.people.signUp();
    const { id, name } = await workspaceOf(owner);
    const child = (await owner.post('/orgs/children', { name: 'Child' }, { 'idempotency-key': 'x' })).body as {
      id: string;
    };
    const made = await owner.post(`/orgs/children/${child.id}/keys`, { name: 'child', scopes: ['admin'] });
    const childKey = fleet.api((made.body as { secret: string }).secret);
    await fill(owner);
    await fill(childKey);
    const before = await tablesWith([id, child.id]);
    for (const table of [
      'projects.projects',
      'crawl.runs',
      'archive.pages',
      'diff.records',
      'delivery.deliveries',
      'export.connections',
      'scrape.jobs',
      'scrape.logins',
      'map.jobs',
      'billing.ledger',
      'identity.api_keys',
      'identity.workspaces',
    ])
      expect(before).toContain(table);

    expect((await remove(owner, name)).status).toBe(204);
    expect(errorOf(await childKey.get('/me'))).toMatchObject({ status: 401, code: 'unauthorized' });
    expect((await owner.get('/auth/session')).body).toMatchObject({ workspace: null, workspaces: [] });
    expect(errorOf(await owner.get('/me'))).toMatchObject({ status: 403, code: 'forbidden' });
    for (const gate of ['deleted', 'deleted-batch']) web.open(gate);
    await until('no service to have rows of the workspaces', async () => {
      const left = await tablesWith([id, child.id]);
      return left.length === 0;
    }).catch(async () => expect(await tablesWith([id, child.id])).toEqual([]));
  }, 120_000);

  test('requires an owner, a fresh code, and the name of the workspace', async () => {
    const workspace = await fleet.workspaces.make();
    const admin = await fleet.people.join(workspace, 'admin');
    expect(errorOf(await remove(admin, 'a test'))).toMatchObject({ status: 403, code: 'forbidden' });
    expect(errorOf(await remove(workspace.admin, 'a test'))).toMatchObject({ status: 403, code: 'forbidden' });
    expect(errorOf(await remove(workspace.writer, 'a test'))).toMatchObject({ status: 403, code: 'scopes' });
    await fleet.sql("UPDATE identity.memberships SET role = 'owner' WHERE user_id = $1", [admin.id]);
    expect(errorOf(await remove(admin, 'A TEST'))).toMatchObject({ status: 422, fields: ['name'] });
    expect((await workspace.reader.get('/me')).status).toBe(200);
    expect((await remove(admin, 'a test')).status).toBe(204);
    await until('its keys to be refused', async () => (await workspace.reader.get('/me')).status === 401);
    expect((await remove(admin, 'a test')).status).toBe(403);
  });

  test('deletes one sub-account for an owner of its parent, and none for the owner of another workspace', async () => {
    const owner = await fleet.people.signUp();
    const child = (await owner.post('/orgs/children', { name: 'Harbour' })).body as { id: string };
    const inside = { 'x-service-tenant': child.id };
    const stranger = await fleet.people.signUp();
    expect(errorOf(await remove(stranger, 'Harbour', inside))).toMatchObject({ status: 404 });
    expect((await remove(owner, 'Harbour', inside)).status).toBe(204);
    expect((await owner.get('/orgs/children')).body).toMatchObject({ data: [], used: 0 });
    expect((await owner.get('/me')).status).toBe(200);
    expect(errorOf(await owner.get('/me', inside))).toMatchObject({ status: 404 });
  });

  test('racing twice is done once, and the second request finds no workspace', async () => {
    const owner = await fleet.people.signUp();
    const { name } = await workspaceOf(owner);
    const statuses = (await Promise.all([remove(owner, name), remove(owner, name)])).map(({ status }) => status);
    expect(statuses).toContain(204);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
  });
});

describe('welcome credits', () => {
  const remaining = async (person: Person) => (await person.credits()).remaining;

  test('are given once per mailbox, also after the workspace was deleted, and never to a sub-account', async () => {
    const box = crypto.randomUUID();
    const first = await fleet.people.signUp(`${box}@example.com`);
    expect(await remaining(first)).toBe(1_000);
    await first.post('/orgs/children', { name: 'Child' });
    const [grants] = await fleet.sql<{ count: string }>(
      'SELECT count(*) FROM identity.welcome_grants WHERE user_id = $1',
      [first.id],
    );
    expect(grants).toEqual({ count: '1' });
    expect((await remove(first, (await workspaceOf(first)).name)).status).toBe(204);
    const tagged = await fleet.people.signUp(`${box}+again@example.com`);
    expect(await remaining(tagged)).toBe(0);
    expect(await remaining(await fleet.people.signUp())).toBe(1_000);
  });
});
