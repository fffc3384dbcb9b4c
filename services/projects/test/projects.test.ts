import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { configOf, type ProjectsWithCrawl, projectClient, SEED, startWithCrawl } from './start-with-crawl.ts';

import { rpcClient } from './start-with-fakes.ts';

const CHAT = 'https://hooks.example/services/T1/B2/secret';
const MASKED = 'https://hooks.example/***';
const SECRETS = {
  headers: { authorization: 'Bearer canary', 'accept-language': 'de' },
  cookies: { sid: 'canary' },
  webhook_url: 'https://site.test/in?token=canary',
};
const SECRETS_MASKED = {
  headers: { authorization: '***', 'accept-language': 'de' },
  cookies: { sid: '***' },
  webhook_url: 'https://site.test/in?token=***',
};
const NOT_FOUND = { code: 'not_found' };

let fixture: ProjectsWithCrawl;
beforeAll(async () => {
  fixture = await startWithCrawl();
}, 120_000);
afterAll(() => fixture.close());

const client = (...more: [string?, Parameters<typeof projectClient>[2]?]) => projectClient(fixture.service, ...more);

describe('a project', () => {
  it('is created with the given values and the defaults', async () => {
    const made = await client().create({ max_pages: 5 }, { name: 'Docs' });
    expect(made).toMatchObject({
      id: expect.stringMatching(/^prj_/),
      seed: SEED,
      name: 'Docs',
      schedule: 'manual',
      timezone: 'UTC',
      retentionDays: 90,
      configVersion: 1,
      health: 'never',
    });
    expect(configOf(made)).toEqual({ max_pages: 5 });
    expect(made.nextDueAt).toBeUndefined();
  });

  it('is due by its schedule in its own time zone, and gets a new due time only when these change', async () => {
    const { create, update } = client();
    const settings = { schedule: '0 9 * * *', timezone: 'Asia/Tokyo' };
    const made = await create({}, { settings });
    expect(made.nextDueAt?.toISOString()).toMatch(/T00:00:\d\d/);
    expect((await update(made.id, { name: 'x' })).nextDueAt).toEqual(made.nextDueAt);
    const moved = await update(made.id, { settings: { timezone: 'UTC' } });
    expect(moved.nextDueAt?.toISOString()).toMatch(/T09:00:\d\d/);
    expect((await update(made.id, { settings: { schedule: 'manual' } })).nextDueAt).toBeUndefined();
  });

  it.each([
    ['a URL of another scheme', { seed: 'ftp://site.test/' }],
    ['a URL that is not on the public web', { seed: 'http://10.0.0.1/' }],
    ['an unknown schedule', { settings: { schedule: 'sometimes' } }],
    ['a cron expression that is never due', { settings: { schedule: '0 0 30 2 *' } }],
    ['seconds in a cron expression', { settings: { schedule: '* * * * * *' } }],
    ['an unknown time zone', { settings: { schedule: 'daily', timezone: 'Mars/Olympus' } }],
    ['too long a retention', { settings: { retentionDays: 4_000 } }],
    ['a config that is not an object', { configJson: '[1]' }],
    ['a config that is nested too deep', { configJson: `{"headers":${'['.repeat(60)}${']'.repeat(60)}}` }],
  ])('is refused with %s', async (_, more) => {
    await expect(client().create({}, more)).rejects.toMatchObject({ code: 'validation' });
  });

  it('is created once per Idempotency-Key; the key with another body is a conflict', async () => {
    const { create, list } = client();
    const key = { idempotencyKey: newId('req'), requestHash: 'a' };
    const made = await Promise.all([create({}, key), create({}, key), create({}, key)]);
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect((await list()).projects).toHaveLength(1);
    await expect(create({}, { ...key, requestHash: 'b' })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is not found for another workspace and for a key of other projects', async () => {
    const mine = client();
    const [made, other] = [await mine.create(), await mine.create()];
    const callers = [client(), client(mine.workspaceId, { projects: [other.id] })];
    for (const caller of callers) {
      await expect(caller.get(made.id)).rejects.toMatchObject(NOT_FOUND);
      await expect(caller.update(made.id, { name: 'x' })).rejects.toMatchObject(NOT_FOUND);
      await expect(caller.delete(made.id)).rejects.toMatchObject(NOT_FOUND);
      await expect(caller.startRun(made.id)).rejects.toMatchObject(NOT_FOUND);
      await expect(caller.runs(made.id)).rejects.toMatchObject(NOT_FOUND);
      await expect(caller.run(made.id, newId('run'))).rejects.toMatchObject(NOT_FOUND);
      await expect(caller.cancel(made.id, newId('run'))).rejects.toMatchObject(NOT_FOUND);
      await expect(caller.apply(made.id, [other.id], ['max_pages'])).rejects.toMatchObject(NOT_FOUND);
      await expect(caller.createAll([SEED], { templateProjectId: made.id })).rejects.toMatchObject(NOT_FOUND);
      expect(await caller.startRuns([made.id])).toMatchObject([{ code: 'not_found' }]);
      expect((await caller.list()).projects.map(({ id }) => id)).not.toContain(made.id);
    }
    const [, restricted] = callers;
    await expect(restricted?.apply(other.id, [made.id], ['max_pages'])).rejects.toMatchObject(NOT_FOUND);
    await expect(restricted?.create()).rejects.toMatchObject({ code: 'forbidden' });
    expect((await mine.get(made.id)).name).toBe('');
  });

  it('is missing from a list of ids only for those who may not see it', async () => {
    const { workspaceId, create } = client();
    const [mine, hidden, unknown] = [(await create()).id, (await create()).id, newId('prj')];
    const missing = async (key: object = {}, ids = [mine, unknown, hidden, unknown]) =>
      (await rpcClient(fixture.service, workspaceId, key).call(Rpc.listMissingProjects, { ids })).missing;
    expect(await missing()).toEqual([unknown]);
    expect(await missing({ projects: [mine] })).toEqual([unknown, hidden]);
    expect(await missing({}, [])).toEqual([]);
  });

  it('is not found after its deletion', async () => {
    const { create, get, list, delete: drop } = client();
    const { id } = await create({}, { settings: { schedule: 'hourly' } });
    await drop(id);
    await expect(get(id)).rejects.toMatchObject(NOT_FOUND);
    await expect(drop(id)).rejects.toMatchObject(NOT_FOUND);
    expect((await list()).projects).toEqual([]);
  });

  it('is refused if the workspace has reached its limit', async () => {
    const { create, createAll } = projectClient(await fixture.start({ MAX_PROJECTS: '2' }));
    await create();
    const { projects, refused } = await createAll([SEED, 'https://other.test/']);
    expect(projects).toHaveLength(1);
    expect(refused).toMatchObject([{ code: 'plan_limit' }]);
    await expect(create()).rejects.toMatchObject({ code: 'plan_limit' });
  });
});

describe('the config of a project', () => {
  it('is merged key by key, null removes a key, and only a change increments its version', async () => {
    const { create, update } = client();
    const { id } = await create({ max_pages: 5, include_paths: ['/a/*'] });
    const merged = await update(id, {}, { max_depth: 2, max_pages: null });
    expect(configOf(merged)).toEqual({ include_paths: ['/a/*'], max_depth: 2 });
    expect(merged.configVersion).toBe(2);
    const same = await update(id, { name: 'n' }, { include_paths: ['/a/*'], max_pages: null, max_depth: 2 });
    expect(same).toMatchObject({ configVersion: 2, name: 'n' });
    const again = await update(id, { name: 'n', settings: { schedule: 'manual' } }, { max_depth: 2 });
    expect(again).toEqual(same);
  });

  it('is changed by concurrent requests without a lost update', async () => {
    const { create, update, get } = client();
    const { id } = await create();
    const keys = ['max_pages', 'max_depth', 'min_words', 'retries', 'delay_ms'];
    await Promise.all(keys.map((key) => update(id, {}, { [key]: 3 })));
    const project = await get(id);
    expect(configOf(project)).toEqual(Object.fromEntries(keys.map((key) => [key, 3])));
    expect(project.configVersion).toBe(1 + keys.length);
  });

  it('masks the chat URL, keeps it if the mask is sent back, removes it if it is empty, and stores it sealed', async () => {
    const { create, update } = client();
    const made = await create({ chat_url: CHAT, max_pages: 5 });
    expect(configOf(made)).toEqual({ chat_url: MASKED, max_pages: 5 });
    const [row] = await fixture.sql<{ row: string }>('SELECT p::text AS row FROM projects.projects p WHERE id = $1', [
      made.id,
    ]);
    expect(row?.row).not.toContain('hooks.example');
    expect(await update(made.id, {}, { chat_url: MASKED })).toMatchObject({ configVersion: 1 });
    expect(await update(made.id, {}, { chat_url: CHAT })).toMatchObject({ configVersion: 1 });
    const other = await update(made.id, {}, { chat_url: 'https://chat.example/x' });
    expect(other.configVersion).toBe(2);
    expect(configOf(other)).toMatchObject({ chat_url: 'https://chat.example/***' });
    expect(configOf(await update(made.id, {}, { chat_url: '' }))).toEqual({ max_pages: 5 });
  });

  it('masks headers, cookies and the tokens of the webhook URL, keeps them if the masks are sent back, and stores them sealed', async () => {
    const { create, update, get } = client();
    const made = await create(SECRETS);
    expect(configOf(made)).toEqual(SECRETS_MASKED);
    const [row] = await fixture.sql<{ row: string }>('SELECT p::text AS row FROM projects.projects p WHERE id = $1', [
      made.id,
    ]);
    expect(row?.row).not.toContain('canary');
    expect(await update(made.id, {}, SECRETS_MASKED)).toMatchObject({ configVersion: 1 });
    const changed = await update(made.id, {}, { headers: { authorization: '***', 'x-new': 'value' } });
    expect(configOf(changed)).toMatchObject({ headers: { authorization: '***', 'x-new': '***' } });
    await update(made.id, {}, SECRETS);
    expect(configOf(await get(made.id))).toEqual(SECRETS_MASKED);
  });

  it.each([
    ['another header', { headers: { 'x-other': '***' } }, 'config.headers.x-other'],
    ['another cookie', { cookies: { other: '***' } }, 'config.cookies.other'],
    ['another host', { webhook_url: 'https://evil.test/in?token=***' }, 'config.webhook_url'],
    ['another chat', { chat_url: 'https://evil.test/***' }, 'config.chat_url'],
  ])('refuses the mask of a secret for %s', async (_, change, field) => {
    const { create, update, get } = client();
    const { id } = await create({ ...SECRETS, chat_url: CHAT });
    const refused = { code: 'validation', httpStatus: 422, message: expect.stringContaining(field) };
    await expect(update(id, {}, change)).rejects.toMatchObject(refused);
    expect(await get(id)).toMatchObject({ configVersion: 1 });
  });

  it('is copied with the secrets of its site to projects of its host only', async () => {
    const { create, createAll, apply, get } = client();
    const source = await create(SECRETS);
    const near = await create({});
    const { projects: made } = await createAll(['https://elsewhere.test/'], {
      templateProjectId: source.id,
      keys: ['headers'],
    });
    const far = made[0]?.id ?? '';
    expect(configOf(await get(far))).toEqual({ headers: { 'accept-language': 'de' } });
    await apply(source.id, [near.id, far], ['headers']);
    expect(configOf(await get(near.id))).toEqual({ headers: SECRETS_MASKED.headers });
    expect(configOf(await get(far))).toEqual({ headers: { 'accept-language': 'de' } });
  });

  it('is refused and unchanged if the merged settings contradict each other', async () => {
    const { create, update, get } = client();
    const { id } = await create({ crawl_mode: 'list_only', url_list: [SEED] });
    await expect(update(id, {}, { url_list: null })).rejects.toMatchObject({ code: 'validation', httpStatus: 400 });
    expect(await get(id)).toMatchObject({ configVersion: 1 });
  });

  it('is copied by key: an equal target keeps its version, and a missing target stops the whole copy', async () => {
    const { create, apply, get } = client();
    const source = await create({ max_pages: 5, device: 'mobile', chat_url: CHAT });
    const [same, different] = [
      await create({ max_pages: 5 }),
      await create({ max_pages: 9, max_depth: 1, retries: 4 }),
    ];
    const keys = ['max_pages', 'max_depth'];
    await expect(apply(source.id, [different.id, newId('prj')], keys)).rejects.toMatchObject(NOT_FOUND);
    expect((await get(different.id)).configVersion).toBe(1);
    expect(await apply(source.id, [same.id, different.id, same.id], keys)).toEqual([
      { projectId: same.id, configVersion: 1, changed: false },
      { projectId: different.id, configVersion: 2, changed: true },
    ]);
    expect(configOf(await get(different.id))).toEqual({ max_pages: 5, retries: 4 });
    await apply(source.id, [same.id], ['chat_url']);
    expect(configOf(await get(same.id))).toEqual({ max_pages: 5, chat_url: MASKED });
  });
});

describe('the list of projects', () => {
  it('returns all projects at once, or in pages that skip none while projects are created and deleted', async () => {
    const { createAll, list, create, delete: drop } = client();
    const { projects: made } = await createAll(Array.from({ length: 23 }, (_, i) => `https://s${i}.test/`));
    const newestFirst = made
      .map(({ id }) => id)
      .sort()
      .reverse();
    const all = await list();
    expect(all.projects.map(({ id }) => id)).toEqual(newestFirst);
    expect(all).toMatchObject({ next: '' });
    expect(all.projects[0]?.configJson).toBe('');
    const seen: string[] = [];
    for (let cursor: string | undefined; cursor !== ''; ) {
      const page = await list({ limit: 5, cursor: cursor ?? '' });
      seen.push(...page.projects.map(({ id }) => id));
      if (cursor === undefined) {
        await create();
        await drop(newestFirst[0] ?? '');
      }
      cursor = page.next;
    }
    expect(seen).toEqual(newestFirst);
  });

  it('contains the configs on request, and ends a page early if they are large', async () => {
    const { create, list } = client();
    const large = { url_list: Array.from({ length: 950 }, (_, i) => `https://site.test/${'x'.repeat(2_000)}/${i}`) };
    const made = [await create(large), await create(large), await create(large)];
    const first = await list({ withConfig: true });
    expect(first.projects.map(({ id }) => id)).toEqual([made[2]?.id, made[1]?.id]);
    for (const project of first.projects) expect(configOf(project)).toEqual(large);
    expect((await list({ withConfig: true, cursor: first.next })).projects.map(({ id }) => id)).toEqual([made[0]?.id]);
  });
});
