import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LoginSummary, RunEnvelope, StoredPage } from '@tidemark/api';
import { type ApiResponse, errorOf, settledCredits } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { listPages, makeProject, readRun, runToEnd, startRun } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const fleet = sharedFleet();
const ADDRESS = '127.0.0.5';
const SECRET = 'sEcReT-4711';
let site: HarbourSite;
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  site = await startHarbour(ADDRESS);
});
afterAll(async () => {
  site.close();
  await fleet.close();
});

function bodyOf<T>({ status, body, text }: ApiResponse, expected = 200): T {
  if (status !== expected) throw new Error(`expected ${expected}, got ${status} ${text}`);
  return body as T;
}

const MEMBER = { name: 'member', value: 'yes' };
const OTHER = { name: 'other', value: SECRET };

const save = async (cookies: unknown = [MEMBER, OTHER], name = 'The keeper'): Promise<LoginSummary> => {
  const order = { site: `${site.origin}/private/`, name, cookies, terms_accepted: true };
  return bodyOf(await workspace.writer.post('/logins', order), 201);
};

describe('a saved login', () => {
  test.each([
    ['a list of cookies', () => [MEMBER, OTHER]],
    [
      'a storage state',
      () => ({
        cookies: [MEMBER, OTHER].map((cookie) => ({ ...cookie, domain: ADDRESS, path: '/', expires: -1 })),
        origins: [],
      }),
    ],
    [
      'a cookies.txt',
      () => [MEMBER, OTHER].map(({ name, value }) => `${ADDRESS}\tFALSE\t/\tFALSE\t0\t${name}\t${value}`).join('\n'),
    ],
  ])('is imported from %s, and its session is never returned', async (_, cookies) => {
    const responses: ApiResponse[] = [];
    const order = { site: ADDRESS, name: 'The keeper', cookies: cookies(), terms_accepted: true };
    responses.push(await workspace.writer.post('/logins', order));
    const saved = bodyOf<LoginSummary>(responses[0] ?? { status: 0, headers: new Headers(), text: '', body: {} }, 201);
    expect(saved).toMatchObject({ site: ADDRESS, name: 'The keeper', cookies: 2, state: 'unknown', projects: [] });
    responses.push(await workspace.reader.get('/logins'));
    responses.push(await workspace.writer.patch(`/logins/${saved.id}`, { name: 'Renamed' }));
    expect(responses[2]?.body).toMatchObject({ id: saved.id, name: 'Renamed', cookies: 2 });
    for (const { text } of responses) expect(text).not.toContain(SECRET);
    const stored = await fleet.sql<{ text: string }>('SELECT l::text AS text FROM scrape.logins l WHERE id = $1', [
      saved.id,
    ]);
    expect(stored).toHaveLength(1);
    expect(stored[0]?.text).not.toContain(SECRET);
  });

  test('is listed once, newest first, in pages as in one response', async () => {
    const made = [(await save()).id, (await save()).id].reverse();
    const first = bodyOf<{ data: LoginSummary[]; next: string | null }>(await workspace.reader.get('/logins?limit=1'));
    expect(first.data.map(({ id }) => id)).toEqual(made.slice(0, 1));
    const second = bodyOf<{ data: LoginSummary[] }>(
      await workspace.reader.get(`/logins${new URL(first.next ?? '').search}`),
    );
    expect(second.data.map(({ id }) => id)).toEqual(made.slice(1, 2));
  });

  test('is tested with one plain fetch, free of charge', async () => {
    const before = await settledCredits(workspace.reader);
    const good = await save();
    expect(bodyOf<object>(await workspace.writer.post(`/logins/${good.id}/test`, {}))).toMatchObject({
      id: good.id,
      state: 'works',
      test: { answered: true, httpStatus: 200, showsLogin: false },
    });
    expect(await workspace.reader.credits()).toEqual(before);
  });

  test('is used only for pages that name it', async () => {
    const { id } = await save();
    const url = `${site.origin}/private/`;
    const { page } = await workspace.writer.capture(url, { config: { login_id: id } });
    expect(page).toMatchObject({ verdict: 'ok', markdown: expect.stringContaining('for members alone') });
    const { page: without } = await workspace.writer.capture(url);
    expect(without).toMatchObject({ errorCode: 'LOGIN_REQUIRED' });
  });

  test('is answered alike by every route that accepts a configuration if it does not exist: 404, nothing is started', async () => {
    const config = { login_id: 'lgn_01j5xq2w8se6fa7t0a6q1n3k2m' };
    const url = `${site.origin}/prices`;
    const { id } = await save();
    const deleted = await makeProject(workspace.writer, { seed: url, config: { login_id: id } });
    expect((await workspace.writer.delete(`/logins/${id}`)).status).toBe(204);
    const project = await makeProject(workspace.writer, { seed: url });
    const before = await settledCredits(workspace.reader);
    const responses = [
      await workspace.writer.post('/scrape', { url, config }),
      await workspace.writer.post('/scrape', { urls: [url, `${url}?2`], config }),
      await workspace.writer.post('/crawl', { url, config }),
      await workspace.writer.post('/playground/extract', { url, config }),
      await workspace.writer.post('/projects', { seed: url, config }),
      await workspace.writer.patch(`/projects/${project.id}`, { config }),
      await workspace.writer.post(`/projects/${deleted.id}/runs`, {}),
    ];
    const msg = 'config.login_id: there is no such saved login; nothing is fetched signed out';
    for (const response of responses)
      expect(errorOf(response)).toMatchObject({
        status: 404,
        code: 'not_found',
        error: msg,
        fields: ['config.login_id'],
      });
    expect(await workspace.reader.credits()).toEqual(before);
  });
});

describe('a project with a saved login', () => {
  const configOf = (login_id: string) => ({ login_id, max_pages: 1, use_sitemap: false });

  test('captures the members’ pages, and the login is shown as used by the project', async () => {
    const { id } = await save();
    const project = await makeProject(workspace.writer, { seed: `${site.origin}/private/`, config: configOf(id) });
    await runToEnd(workspace.writer, project.id);
    const url = encodeURIComponent(project.seed);
    const page = bodyOf<StoredPage>(await workspace.reader.get(`/projects/${project.id}/pages/content?url=${url}`));
    expect(page.markdown).toContain('for members alone');
    const { data } = bodyOf<{ data: LoginSummary[] }>(await workspace.reader.get('/logins'));
    expect(data.find((login) => login.id === id)?.projects).toEqual([project.id]);
    // A key for that project only reads the login it names and changes none, because other projects may use it.
    const restricted = await fleet.workspaces.key(workspace.id, { scopes: ['admin'], projects: [project.id] });
    const seen = bodyOf<{ data: LoginSummary[] }>(await restricted.get('/logins'));
    expect(seen.data.map((login) => login.id)).toEqual([id]);
    for (const response of [
      await restricted.patch(`/logins/${id}`, { name: 'x' }),
      await restricted.delete(`/logins/${id}`),
    ])
      expect(errorOf(response)).toMatchObject({ status: 403, code: 'forbidden' });
  });

  test('stops when the session has ended and never continues signed out', async () => {
    const { id } = await save([{ name: 'member', value: 'no' }]);
    const project = await makeProject(workspace.writer, { seed: `${site.origin}/private/`, config: configOf(id) });
    const started = await startRun(workspace.writer, project.id);
    const ended = await until('the run has stopped', async () => {
      const run: RunEnvelope = await readRun(workspace.reader, started);
      return run.finishedAt === null ? false : run;
    });
    expect(ended.stop).toBe('login_dead');
    const isDead = async () => {
      const { data } = bodyOf<{ data: LoginSummary[] }>(await workspace.reader.get('/logins'));
      return data.find((login) => login.id === id)?.state === 'dead';
    };
    await until('the login to be marked as dead', isDead);
  });

  test('stops when the login is deleted and cannot be started again', async () => {
    const { id } = await save();
    site.gate = Promise.withResolvers();
    const project = await makeProject(workspace.writer, { seed: `${site.origin}/slow`, config: configOf(id) });
    const run = await startRun(workspace.writer, project.id);
    expect((await workspace.writer.delete(`/logins/${id}`)).status).toBe(204);
    expect((await workspace.writer.delete(`/logins/${id}`)).status).toBe(404);
    const isStopped = async () => (await readRun(workspace.reader, run)).stop === 'login_dead';
    await until('the run has stopped', isStopped);
    site.gate.resolve();
    const refused = errorOf(await workspace.writer.post(`/projects/${project.id}/runs`, {}));
    expect(refused).toMatchObject({ status: 404, code: 'not_found', fields: ['config.login_id'] });
    expect(
      (await listPages(workspace.reader, project.id, `?run_id=${run.id}`)).data.filter(
        ({ verdict }) => verdict === 'ok',
      ),
    ).toEqual([]);
  });
});

test('no session is written to a log', () => {
  const logs = join(fleet.dataDir, 'logs');
  const texts = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'));
  expect(texts.join('').length).toBeGreaterThan(0);
  expect(texts.filter((text) => text.includes(SECRET))).toEqual([]);
});
