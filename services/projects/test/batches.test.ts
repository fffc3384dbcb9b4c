import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnService } from '@tidemark/testkit';
import { configOf, type ProjectsWithCrawl, projectClient, SEED, startWithCrawl } from './start-with-crawl.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

let fixture: ProjectsWithCrawl;
beforeAll(async () => {
  fixture = await startWithCrawl();
}, 120_000);
afterAll(() => fixture.close());

const client = () => projectClient(fixture.service);

describe('createProjects with a template', () => {
  it('copies schedule, retention and the given keys, and lists refused seeds with the reason', async () => {
    const { create, createAll, get } = client();
    const settings = { schedule: 'weekly', timezone: 'Europe/Berlin', retentionDays: 7 };
    const template = await create({ max_pages: 5, url_list: [SEED], device: 'mobile' }, { settings });
    const seeds = ['https://a.test/', 'not a URL', 'https://b.test', 'https://a.test', 'http://127.0.0.2/'];
    const created = await createAll(seeds, {
      templateProjectId: template.id,
      keys: ['max_pages', 'device'],
      settings: { retentionDays: 8 },
    });
    expect(created.projects.map(({ seed }) => seed)).toEqual(['https://a.test/', 'https://b.test/']);
    for (const project of created.projects) {
      expect(project).toMatchObject({ ...settings, retentionDays: 8 });
      expect(configOf(await get(project.id))).toEqual({ max_pages: 5, device: 'mobile' });
    }
    expect(created.refused).toMatchObject([
      { seed: 'not a URL', code: 'validation' },
      { seed: 'https://a.test', code: 'conflict' },
      { seed: 'http://127.0.0.2/', code: 'validation' },
    ]);
  });

  it('creates nothing if the copied config is invalid', async () => {
    const { create, createAll, list } = client();
    const template = await create({ crawl_mode: 'list_only', url_list: [SEED] });
    const batch = createAll(['https://a.test/'], { templateProjectId: template.id, keys: ['crawl_mode'] });
    const message = expect.stringMatching(/^template_project_id: .*list_only/);
    await expect(batch).rejects.toMatchObject({ code: 'validation', httpStatus: 400, message });
    expect((await list()).projects.map(({ id }) => id)).toEqual([template.id]);
  });
});

describe('createProjects', () => {
  it('creates one project per Idempotency-Key, and replays it when the workspace is full', async () => {
    const { createAll } = projectClient(await fixture.start({ MAX_PROJECTS: '2' }));
    const seed = (url: string, requestHash = url) => ({ url, name: '', idempotencyKey: `key of ${url}`, requestHash });
    const [one, other] = [seed('https://one.test/'), seed('https://other.test/')];
    const { projects: first } = await createAll([], { seeds: [one] });
    const { projects: again } = await createAll([], { seeds: [one, other] });
    expect(again.map((project) => project.seed)).toEqual([one.url, other.url]);
    expect(again[0]?.id).toBe(first[0]?.id);
    const third = seed('https://third.test/');
    const full = await createAll([], { seeds: [other, third, { ...one, requestHash: 'of another body' }] });
    expect(full.projects.map(({ id }) => id)).toEqual([again[1]?.id]);
    expect(full.refused).toMatchObject([
      { seed: third.url, code: 'plan_limit' },
      { seed: one.url, code: 'conflict' },
    ]);
  });

  it('lists a seed that fails for an internal reason, and creates the others', async () => {
    await fixture.sql(
      `CREATE FUNCTION projects.fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''disk full''; END'`,
    );
    await fixture.sql(`CREATE TRIGGER fail BEFORE INSERT ON projects.projects FOR EACH ROW
      WHEN (NEW.seed = 'https://broken.test/') EXECUTE FUNCTION projects.fail()`);
    const { createAll } = client();
    const { projects, refused } = await createAll(['https://a.test/', 'https://broken.test/', 'https://b.test/']);
    expect(projects.map(({ seed }) => seed)).toEqual(['https://a.test/', 'https://b.test/']);
    expect(refused).toEqual([
      { seed: 'https://broken.test/', code: 'internal', why: expect.not.stringContaining('disk') },
    ]);
  });

  it('does not count a refused seed against the quota', async () => {
    const { createAll } = projectClient(await fixture.start({ MAX_PROJECTS: '1' }));
    const { projects, refused } = await createAll(['http://127.0.0.2/', SEED]);
    expect(projects).toMatchObject([{ seed: SEED }]);
    expect(refused).toMatchObject([{ seed: 'http://127.0.0.2/', code: 'validation' }]);
  });

  it('creates a thousand projects in time, whether or not their host names resolve', async () => {
    // In a separate process: DNS queries cannot be aborted, and would keep this process running.
    const other = fixture.servers.own(await spawnService('projects', MAIN, fixture.env));
    const { createAll, list } = projectClient(other);
    const { projects, refused } = await createAll(Array.from({ length: 1_000 }, (_, i) => `https://n${i}.test/`));
    expect([projects.length, refused.length]).toEqual([1_000, 0]);
    expect((await list()).projects).toHaveLength(1_000);
    await expect(createAll(Array.from({ length: 1_001 }, () => SEED))).rejects.toMatchObject({ code: 'validation' });
  });
});
