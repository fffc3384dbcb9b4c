import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { configOf, type ProjectsWithCrawl, projectClient, SEED, startWithCrawl } from './start-with-crawl.ts';
import { rpcClient } from './start-with-fakes.ts';

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

  it('moves to another start URL until pages are read, and then within its site only', async () => {
    const { create, update, startRun, ended } = client();
    const { id } = await create({ max_pages: 1 }, { seed: 'http://127.0.0.1/' });
    expect(await update(id, { seed: SEED })).toMatchObject({ seed: SEED, configVersion: 1 });
    const { id: run } = await startRun(id);
    await ended(id, run);
    const path = new URL('/docs/', SEED).href;
    expect((await update(id, { seed: path })).seed).toBe(path);
    await expect(update(id, { seed: 'http://127.0.0.1/' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(update(id, { seed: 'http://10.0.0.1/' })).rejects.toMatchObject({ code: 'validation' });
    await expect(update(id, { seed: 'ftp://site.test/' })).rejects.toMatchObject({ code: 'validation' });
  });

  it.each([
    ['a URL of another scheme', { seed: 'ftp://site.test/' }],
    ['a URL that is not on the public web', { seed: 'http://10.0.0.1/' }],
    ['an unknown schedule', { settings: { schedule: 'sometimes' } }],
    ['a cron expression that is never due', { settings: { schedule: '0 0 30 2 *' } }],
    ['seconds in a cron expression', { settings: { schedule: '* * * * * *' } }],
    ['an unknown time zone', { settings: { schedule: 'daily', timezone: 'Mars/Olympus' } }],
    ['too long a retention', { settings: { retentionDays: 4_000 } }],
    ['metadata that are no JSON', { config: { set: { webhookMetadataJson: '[1' }, removed: [] } }],
    ['metadata that are no object', { config: { set: { webhookMetadataJson: '[1]' }, removed: [] } }],
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

  it('is returned under its Idempotency-Key as it was created, with masked secrets, after it was changed', async () => {
    const { create, update, delete: drop } = client();
    const key = { idempotencyKey: newId('req'), requestHash: 'a', name: 'first', settings: { schedule: 'daily' } };
    const made = await create({ max_pages: 5, headers: { 'x-token': 'canary' } }, key);
    await update(made.id, { name: 'second' }, { max_pages: 6 });
    const again = await create({}, key);
    expect(again).toEqual(made);
    const [row] = await fixture.sql<{ stored: string }>(
      'SELECT first_response::text AS stored FROM projects.idempotency_keys WHERE project_id = $1',
      [made.id],
    );
    expect(row?.stored).not.toContain('canary');
    await drop(made.id);
    await expect(create({}, key)).rejects.toMatchObject(NOT_FOUND);
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
    expect(all.projects[0]?.config).toBeUndefined();
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
