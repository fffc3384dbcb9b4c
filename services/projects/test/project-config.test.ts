import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { configOf, type ProjectsWithCrawl, projectClient, SEED, startWithCrawl } from './start-with-crawl.ts';

const CHAT = 'https://hooks.example/hooks/secret00000000000000000000';
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

describe('the config of a project', () => {
  it('is merged key by key, null removes a key, and only a change increments its version', async () => {
    const { create, update } = client();
    const { id } = await create({ max_pages: 5, include_paths: ['/a/*'] });
    const merged = await update(id, {}, { max_depth: 2, max_pages: null });
    expect(configOf(merged)).toEqual({ include_paths: ['/a/*'], max_depth: 2 });
    expect(merged.configVersion).toBe(2);
    const same = await update(
      id,
      { nameChange: { $case: 'name', value: 'n' } },
      { include_paths: ['/a/*'], max_pages: null, max_depth: 2 },
    );
    expect(same).toMatchObject({ configVersion: 2, name: 'n' });
    const again = await update(
      id,
      { nameChange: { $case: 'name', value: 'n' }, settings: { schedule: 'manual' } },
      { max_depth: 2 },
    );
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
    const other = await update(made.id, {}, { chat_url: 'https://chat.example/hooks/secret00000000000000000000' });
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
