import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Project } from '@tidemark/api';
import { configEntries } from '@tidemark/project-config';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { makeProject, readProject } from '../harness/projects.ts';
import type { Workspace } from '../harness/workspaces.ts';

const fleet = sharedFleet();
/** A site that is never fetched: projects are created, changed and copied. */
const SEED = 'http://127.0.0.2/';
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(() => fleet.close());

const make = (config: object = {}, order: object = {}): Promise<Project> =>
  makeProject(workspace.writer, { seed: SEED, config, ...order });

async function patch({ id }: { id: string }, change: object): Promise<Project> {
  const { status, body, text } = await workspace.writer.patch(`/projects/${id}`, change);
  if (status !== 200) throw new Error(`expected a project, got ${status} ${text}`);
  return body as Project;
}

describe('a project', () => {
  test('is created from a seed only, with manual runs and 90 days of retention by default', async () => {
    const { status, headers, body } = await workspace.writer.post('/projects', { seed: SEED });
    expect(status).toBe(201);
    const project = body as Project;
    expect(project).toMatchObject({
      id: expect.stringMatching(/^prj_[0-9a-z]{26}$/),
      seed: SEED,
      name: null,
      schedule: 'manual',
      timezone: 'UTC',
      retention: 90,
      config: {},
      configVersion: 1,
      health: 'never',
      lastRun: null,
      nextRunAt: null,
    });
    expect(headers.get('location')).toBe(`${fleet.url}/v1/projects/${project.id}`);
    expect(await readProject(workspace.reader, project.id)).toMatchObject({ id: project.id, config: {} });
  });

  test('stores the settings of the request and no others', async () => {
    const config = { max_pages: 5, fields: { price: { selector: '.price', type: 'number', many: false } } };
    const order = { name: ' Harlow Point ', schedule: '30 6 * * 1', timezone: 'Europe/Berlin', retention: 30 };
    const { id } = await make(config, order);
    const project = await readProject(workspace.reader, id);
    expect(project).toMatchObject({ ...order, name: 'Harlow Point', config });
    expect(Object.keys(project.config).sort()).toEqual(['fields', 'max_pages']);
    expect(Date.parse(project.nextRunAt ?? '')).toBeGreaterThan(Date.now());
  });

  test('has a next due time if it is scheduled, and none if runs are manual', async () => {
    const project = await make({}, { schedule: 'hourly' });
    expect(Date.parse(project.nextRunAt ?? '')).toBeLessThan(Date.now() + 2 * 3_600_000);
    expect((await patch(project, { schedule: 'manual' })).nextRunAt).toBeNull();
  });

  test('is changed key by key: absent keys stay, null restores the default', async () => {
    const made = await make({ max_pages: 5, min_words: 10, languages: ['en'] }, { name: 'one', retention: 30 });
    const changed = await patch(made, { name: 'two', config: { max_pages: 7, min_words: null } });
    expect(changed).toMatchObject({ name: 'two', retention: 30, config: { max_pages: 7, languages: ['en'] } });
    expect(changed.config).not.toHaveProperty('min_words');
    expect((await patch(made, { name: '' })).name).toBeNull();
  });

  test('has a version that increases only with its settings', async () => {
    const made = await make({ max_pages: 5, headers: { b: '1', a: '2' } });
    const versions = [made.configVersion];
    for (const change of [
      { config: { max_pages: 5 } },
      { config: { headers: { a: '2', b: '1' } } },
      { config: {} },
      { name: 'other', schedule: 'daily' },
      { config: { min_words: null } },
      { config: { max_pages: 6 } },
      { config: { max_pages: 6, store_html: 'always' } },
      { config: { STORE_HTML: 'always' } },
    ])
      versions.push((await patch(made, change)).configVersion);
    expect(versions).toEqual([1, 1, 1, 1, 1, 1, 2, 3, 3]);
  });

  test('rejects an unknown key by name and stays unchanged', async () => {
    const made = await make({ max_pages: 5 });
    const change = { name: 'other', config: { max_pages: 6, colour: 'blue' } };
    const error = errorOf(await workspace.writer.patch(`/projects/${made.id}`, change));
    expect(error).toMatchObject({ status: 422, code: 'validation', fields: ['config.colour'] });
    const { request_id: _, ...before } = made;
    expect(await readProject(workspace.reader, made.id)).toMatchObject(before);
  });

  test('rejects contradicting settings, and changes that would cause them', async () => {
    const both = { render_js: 'always', max_tier: 'http' };
    const refused = errorOf(await workspace.writer.post('/projects', { seed: SEED, config: both }));
    expect(refused).toMatchObject({ status: 400, code: 'validation', fields: ['config.max_tier'] });
    const made = await make({ render_js: 'always' });
    const change = await workspace.writer.patch(`/projects/${made.id}`, { config: { max_tier: 'http' } });
    expect(errorOf(change)).toMatchObject({ status: 400, fields: ['config.max_tier'] });
    expect((await readProject(workspace.reader, made.id)).config).toEqual({ render_js: 'always' });
  });

  test('rejects a login that does not exist: its runs would continue signed out', async () => {
    const config = { login_id: 'lgn_01j5xq2w8se6fa7t0a6q1n3k2m' };
    const refused = errorOf(await workspace.writer.post('/projects', { seed: SEED, config }));
    expect(refused).toMatchObject({ status: 404, code: 'not_found', fields: ['config.login_id'] });
  });

  test('shows its chat channel masked; the masked value keeps it and an empty one removes it', async () => {
    const secret = 'https://hooks.slack.com/services/T0/B0/secret';
    const made = await make({ chat_url: secret, max_pages: 5 });
    const masked = made.config['chat_url'];
    expect(masked).toBe('https://hooks.slack.com/***');
    expect(await patch(made, { config: { chat_url: masked, max_pages: 5 } })).toMatchObject({
      configVersion: 1,
      config: { chat_url: masked },
    });
    expect(await patch(made, { config: { chat_url: 'https://hooks.slack.com/services/T0/B0/another' } })).toMatchObject(
      {
        configVersion: 2,
        config: { chat_url: masked },
      },
    );
    const without = await patch(made, { config: { chat_url: '' } });
    expect(without).toMatchObject({ configVersion: 3, config: { max_pages: 5 } });
    expect(without.config).not.toHaveProperty('chat_url');
    const texts = [await workspace.reader.get(`/projects/${made.id}`), await workspace.reader.get('/projects')];
    for (const { text } of texts) expect(text).not.toContain('secret');
  });
});

describe('a creation that is repeated with its Idempotency-Key', () => {
  test('returns the first response, also after the project was changed, and with another body 409', async () => {
    const order = { seed: SEED, name: 'once', config: { max_pages: 5 } };
    const headers = { 'idempotency-key': 'project-once' };
    const first = await workspace.writer.post('/projects', order, headers);
    expect(first.status).toBe(201);
    await patch(first.body as Project, { name: 'changed', config: { max_pages: 6 } });
    const again = await workspace.writer.post('/projects', order, headers);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect([first, again].map((each) => each.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    const other = await workspace.writer.post('/projects', { ...order, name: 'twice' }, headers);
    expect(errorOf(other)).toMatchObject({ status: 409, code: 'conflict' });
  });

  test('returns the first project of each item of a batch, and refuses a key that is used with another item', async () => {
    const one = { url: `${SEED}one`, name: 'One', idempotency_key: 'item-1' };
    const create = async (seeds: readonly unknown[], more: object = {}) => {
      const { status, body } = await workspace.writer.post('/projects/batch', { seeds, ...more });
      expect(status).toBe(201);
      return body as { data: Project[]; refused: { seed: string; code: string }[] };
    };
    const first = await create([one, `${SEED}plain`]);
    expect(first.data).toMatchObject([{ seed: one.url, name: 'One' }, { name: null }]);
    const again = await create([one, { url: `${SEED}two`, idempotency_key: 'item-2' }]);
    expect(again.data.map(({ seed }) => seed)).toEqual([one.url, `${SEED}two`]);
    expect(again.data[0]).toEqual(first.data[0]);
    const changed = [await create([{ ...one, url: `${SEED}other` }]), await create([one], { schedule: 'daily' })];
    for (const { data, refused } of changed) expect([data, refused]).toMatchObject([[], [{ code: 'conflict' }]]);
  });
});

describe('a receiver of a project', () => {
  test.each([
    ['chat_url', 'https://hooks.slack.com/services/T0/B0/secret', 'https://discord.com/***'],
    ['webhook_url', 'https://hooks.example.com/in/T0/secret', 'https://hooks.example.org/in/***/secret'],
  ])('is removed by an empty %s, and the mask of another host is refused', async (key, url, foreign) => {
    const made = await make({ [key]: url, max_pages: 5 });
    const refused = errorOf(
      await workspace.writer.request('PATCH', `/projects/${made.id}`, { body: { config: { [key]: foreign } } }),
    );
    expect(refused).toMatchObject({ status: 422, code: 'validation', fields: [`config.${key}`] });
    expect(refused.error).not.toContain('secret');
    expect((await readProject(workspace.reader, made.id)).config).toHaveProperty(key);
    expect((await patch(made, { config: { [key]: '' } })).config).toEqual({ max_pages: 5 });
  });
});

describe('the catalogue of settings', () => {
  test('is readable with any key, and a project accepts each setting as shown', async () => {
    const { body } = await fleet.api('').get('/meta');
    const { config } = body as {
      config: Record<string, { group: string; default: unknown; says: string; site: boolean }>;
    };
    expect(Object.keys(config).sort()).toEqual(configEntries.map(([key]) => key).sort());
    expect(config['chat_url']).toMatchObject({ group: 'advanced', default: null, site: false });
    expect(config['include_paths']).toMatchObject({ group: 'scope', default: [], site: true });
    const defaults = Object.entries(config).flatMap(([key, entry]) =>
      entry.default === null ? [] : [[key, entry.default]],
    );
    const made = await make(Object.fromEntries(defaults));
    expect(made.config).toEqual(Object.fromEntries(defaults));
  });
});

describe('configuration that is applied to others', () => {
  test('covers the groups only, without site-specific settings; a project that matches keeps its version', async () => {
    const source = await make({ max_pages: 5, include_paths: ['/a/*'], render_js: 'never', min_words: 3 });
    const [one, two] = [
      await make({ include_paths: ['/b/*'], max_depth: 2 }),
      await make({ min_words: 9, max_pages: 5 }),
    ];
    const order = { project_ids: [one.id, two.id, one.id], groups: ['scope', 'fetch'] };
    const { status, body } = await workspace.writer.post(`/projects/${source.id}/config/apply`, order);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: [
        { id: one.id, configVersion: 2, changed: true },
        { id: two.id, configVersion: 2, changed: true },
      ],
    });
    expect((await readProject(workspace.reader, one.id)).config).toEqual({
      include_paths: ['/b/*'],
      max_pages: 5,
      render_js: 'never',
    });
    expect((await readProject(workspace.reader, two.id)).config).toEqual({
      min_words: 9,
      max_pages: 5,
      render_js: 'never',
    });
    const again = await workspace.writer.post(`/projects/${source.id}/config/apply`, order);
    expect(again.body).toMatchObject({ data: [{ configVersion: 2, changed: false }, { changed: false }] });
  });

  test('changes all named projects, or none if one is not found', async () => {
    const [source, target] = [await make({ max_pages: 5 }), await make()];
    const order = { project_ids: [target.id, 'prj_01j5xq2w8se6fa7t0a6q1n3k2m'], groups: ['all'] };
    const response = await workspace.writer.post(`/projects/${source.id}/config/apply`, order);
    expect(errorOf(response)).toMatchObject({ status: 404, code: 'not_found' });
    expect(await readProject(workspace.reader, target.id)).toMatchObject({ configVersion: 1, config: {} });
  });
});

describe('a batch', () => {
  test('creates a project of each seed from its template, and gives the reason for each rejected seed', async () => {
    const config = {
      max_pages: 5,
      url_list: [`${SEED}a`],
      exclude_paths: ['/x'],
      feeds: [`${SEED}feed`],
      min_words: 3,
    };
    const template = await make(config, { schedule: 'weekly', timezone: 'Europe/Berlin', retention: 30 });
    const seeds = ['http://127.0.0.2/one', 'nonsense', 'ftp://127.0.0.2/', 'http://127.0.0.2/two', 'http://127.0.0.1/'];
    const order = { seeds, template_project_id: template.id, retention: 60 };
    const { status, body } = await workspace.writer.post('/projects/batch', order);
    expect(status).toBe(201);
    const { data, refused } = body as { data: Project[]; refused: { seed: string; reason: string }[] };
    expect(data.map(({ seed }) => seed)).toEqual(['http://127.0.0.2/one', 'http://127.0.0.2/two']);
    for (const { id } of data)
      expect(await readProject(workspace.reader, id)).toMatchObject({
        schedule: 'weekly',
        timezone: 'Europe/Berlin',
        retention: 60,
        config: { max_pages: 5, min_words: 3 },
      });
    expect(Object.keys((await readProject(workspace.reader, data[0]?.id ?? '')).config).sort()).toEqual([
      'max_pages',
      'min_words',
    ]);
    expect(refused.map(({ seed }) => seed)).toEqual(expect.arrayContaining(['nonsense', 'ftp://127.0.0.2/']));
    for (const { reason } of refused) expect(reason).not.toBe('');
  });
});

describe('the list of projects', () => {
  test('lists every project once, newest first, in pages as in one response', async () => {
    const own = await fleet.workspaces.make();
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1) made.unshift((await makeProject(own.writer, { seed: `${SEED}${i}` })).id);
    const list = async (query: string) =>
      (await own.reader.get(`/projects${query}`)).body as { data: Project[]; next: string | null; cursor: string };
    const ids = ({ data }: { data: Project[] }) => data.map(({ id }) => id);
    const whole = await list('');
    expect([ids(whole), whole.next]).toEqual([made, null]);
    const seen: string[] = [];
    for (let query: string | undefined = '?limit=2'; query !== undefined; ) {
      const { next, ...page } = await list(query);
      expect(page.data.length).toBeLessThanOrEqual(2);
      seen.push(...ids(page));
      query = next === null ? undefined : new URL(next).search;
    }
    expect(seen).toEqual(made);
    expect([ids(await list('?v=never')), ids(await list('?v=ok'))]).toEqual([made, []]);
  });
});
