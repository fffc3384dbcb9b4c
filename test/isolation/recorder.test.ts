import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Api, type ApiResponse, errorOf, settledCredits } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Person } from '../harness/people.ts';
import { makeProject, readProject } from '../harness/projects.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

interface Opened {
  readonly id: string;
  readonly actions: readonly object[];
  readonly creditsUsed: number;
}

const fleet = sharedFleet();
const web = await startWeb();
let workspace: Workspace;
let other: Workspace;
let owner: Person;
let project: string;
let recorder: Opened;
let at: string;

beforeAll(async () => {
  [workspace, other] = await Promise.all([fleet.workspaces.make(), fleet.workspaces.make()]);
  project = (await makeProject(workspace.writer, { seed: web.url('/article') })).id;
  owner = await fleet.people.join(workspace, 'member');
  recorder = await opened(owner, project);
  at = `/projects/${project}/recorder/${recorder.id}`;
});
afterAll(async () => {
  await owner?.delete(at);
  await web.close();
  await fleet.close();
});

async function opened(api: Api, id: string): Promise<Opened> {
  const { status, text, body } = await api.post(`/projects/${id}/recorder`, {});
  if (status !== 201) throw new Error(text);
  return body as Opened;
}

/** Sends every request of a recorder. */
const everyRequest = (api: Api, path: string): Promise<ApiResponse[]> =>
  Promise.all([
    api.get(`${path}/frames`),
    api.post(`${path}/input`, { type: 'scroll' }),
    api.post(`${path}/pick`, { x: 10, y: 10 }),
    api.patch(path, { actions: [] }),
    api.post(`${path}/play`, { actions: [] }),
  ]);

describe('a recorder', () => {
  test('costs the price of a page read with a browser, once', async () => {
    expect(recorder.creditsUsed).toBe(5);
    await owner.post(`${at}/play`, { actions: [] });
    const { usedThisMonth } = await settledCredits(workspace.reader);
    expect(usedThisMonth).toBe(5);
  });

  test('is one per member: another is refused with 409 while it is open, and found again by its member', async () => {
    const again = await owner.post(`/projects/${project}/recorder`, {});
    expect(errorOf(again)).toMatchObject({ status: 409, code: 'conflict' });
    const found = await owner.get(`/projects/${project}/recorder`);
    expect(found.body).toMatchObject({ recorder: { id: recorder.id } });
  });

  test('is reached by no other member, key or workspace', async () => {
    const member = await fleet.people.join(workspace, 'admin');
    for (const api of [member, workspace.admin, other.admin])
      for (const response of await everyRequest(api, at))
        expect(errorOf(response)).toMatchObject({ status: 404, code: 'not_found' });
    expect((await member.delete(at)).status).toBe(204);
    expect((await other.admin.delete(at)).status).toBe(404);
    for (const api of [member, workspace.writer])
      expect((await api.get(`/projects/${project}/recorder`)).body).toMatchObject({ recorder: null });
    expect((await owner.get(`/projects/${project}/recorder`)).body).toMatchObject({ recorder: { id: recorder.id } });
  });

  test('is reached through its own project only', async () => {
    const { id } = await makeProject(workspace.writer, { seed: web.url('/tiny') });
    for (const response of await everyRequest(owner, `/projects/${id}/recorder/${recorder.id}`))
      expect(errorOf(response)).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('is refused to the scope read', async () => {
    const viewer = await fleet.people.join(workspace, 'viewer');
    for (const api of [viewer, workspace.reader]) {
      expect(errorOf(await api.post(`/projects/${project}/recorder`, {}))).toMatchObject({
        status: 403,
        code: 'scopes',
      });
      for (const response of await everyRequest(api, at))
        expect(errorOf(response)).toMatchObject({ status: 403, code: 'scopes' });
    }
  });

  test('opens no internal address, and charges nothing for a page that can not be opened', async () => {
    const before = await settledCredits(workspace.reader);
    const member = await fleet.people.join(workspace, 'member');
    for (const url of [
      'http://127.0.0.1:1/',
      'http://169.254.169.254/latest/meta-data/',
      web.url('/absent-host').replace('127.0.0.2', '127.0.0.77'),
    ]) {
      const response = await member.post(`/projects/${project}/recorder`, { url });
      expect({ url, status: response.status }).toEqual({ url, status: 422 });
    }
    expect((await settledCredits(workspace.reader)).usedThisMonth).toBe(before.usedThisMonth);
    expect((await member.get(`/projects/${project}/recorder`)).body).toMatchObject({ recorder: null });
  });

  test('does not open a page that robots.txt refuses, as a run does not read it, unless the settings ignore the file', async () => {
    const member = await fleet.people.join(workspace, 'member');
    const { id } = await makeProject(workspace.writer, { seed: web.url('/private/article', 'ruled') });
    const refused = await member.post(`/projects/${id}/recorder`, {});
    expect(errorOf(refused)).toMatchObject({ status: 422, code: 'validation' });
    expect(refused.text).toContain('robots.txt');
    await workspace.writer.patch(`/projects/${id}`, { config: { respect_robots: false } });
    const allowed = await opened(member, id);
    expect((await member.delete(`/projects/${id}/recorder/${allowed.id}`)).status).toBe(204);
  });

  test('fills the stored text in where a played action has the mask, and never returns it', async () => {
    const actions = [{ type: 'type', selector: 'h1', text: 'secret-of-action' }];
    expect((await workspace.writer.patch(`/projects/${project}`, { config: { actions } })).status).toBe(200);
    const masked = (await readProject(workspace.writer, project)).config['actions'];
    expect(JSON.stringify(masked)).toContain('***');
    const played = await owner.post(`${at}/play`, { actions: masked });
    expect(played).toMatchObject({ status: 200, body: { results: [{ type: 'type', ok: false }] } });
    expect(played.text).not.toContain('secret-of-action');
    const unknown = await owner.post(`${at}/play`, { actions: [{ type: 'type', selector: '#other', text: '***' }] });
    expect(errorOf(unknown)).toMatchObject({ status: 422, code: 'validation' });
  });

  test('ends by DELETE, which is idempotent; its member can then open another', async () => {
    const member = await fleet.people.join(workspace, 'member');
    const first = await opened(member, project);
    const path = `/projects/${project}/recorder/${first.id}`;
    expect((await Promise.all([member.delete(path), member.delete(path)])).map(({ status }) => status)).toEqual([
      204, 204,
    ]);
    for (const response of await everyRequest(member, path))
      expect(errorOf(response)).toMatchObject({ status: 404, code: 'not_found' });
    const second = await opened(member, project);
    await member.delete(`/projects/${project}/recorder/${second.id}`);
  });
});
