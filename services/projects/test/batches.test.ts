import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnService } from '@tidemark/testkit';
import { clientIn, configOf, openProjects, type ProjectsGround, SEED } from './projects-ground.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

let ground: ProjectsGround;
beforeAll(async () => {
  ground = await openProjects();
}, 120_000);
afterAll(() => ground.close());

const client = () => clientIn(ground.service);

describe('projects made from a template', () => {
  it('take its schedule, its retention and the keys that travel; what can’t become one is told with the reason', async () => {
    const { create, createAll, get } = client();
    const keeping = { schedule: 'weekly', timezone: 'Europe/Berlin', retentionDays: 7 };
    const template = await create({ max_pages: 5, url_list: [SEED], device: 'mobile' }, { keeping });
    const seeds = ['https://a.test/', 'not an address', 'https://b.test', 'https://a.test', 'http://127.0.0.2/'];
    const made = await createAll(seeds, {
      templateProjectId: template.id,
      keys: ['max_pages', 'device'],
      keeping: { retentionDays: 8 },
    });
    expect(made.projects.map(({ seed }) => seed)).toEqual(['https://a.test/', 'https://b.test/']);
    for (const project of made.projects) {
      expect(project).toMatchObject({ ...keeping, retentionDays: 8 });
      expect(configOf(await get(project.id))).toEqual({ max_pages: 5, device: 'mobile' });
    }
    expect(made.refused).toMatchObject([
      { seed: 'not an address', code: 'validation' },
      { seed: 'https://a.test', code: 'conflict' },
      { seed: 'http://127.0.0.2/', code: 'validation' },
    ]);
  });

  it('are none where what is copied of it could never run', async () => {
    const { create, createAll, list } = client();
    const template = await create({ crawl_mode: 'list_only', url_list: [SEED] });
    const batch = createAll(['https://a.test/'], { templateProjectId: template.id, keys: ['crawl_mode'] });
    const message = expect.stringMatching(/^template_project_id: .*list_only/);
    await expect(batch).rejects.toMatchObject({ code: 'validation', httpStatus: 400, message });
    expect((await list()).projects.map(({ id }) => id)).toEqual([template.id]);
  });
});

describe('a batch', () => {
  it('makes a seed once for its Idempotency-Key, also where the workspace is full by then', async () => {
    const { createAll } = clientIn(await ground.start({ MAX_PROJECTS: '2' }));
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

  it('gives no place to a seed that is refused', async () => {
    const { createAll } = clientIn(await ground.start({ MAX_PROJECTS: '1' }));
    const { projects, refused } = await createAll(['http://127.0.0.2/', SEED]);
    expect(projects).toMatchObject([{ seed: SEED }]);
    expect(refused).toMatchObject([{ seed: 'http://127.0.0.2/', code: 'validation' }]);
  });

  it('of a thousand seeds is answered in time, whether or not their names resolve', async () => {
    // Lookups that were not waited for can't be called off, and would keep this process from its end.
    const other = ground.ground.own(await spawnService('projects', MAIN, ground.env));
    const { createAll, list } = clientIn(other);
    const { projects, refused } = await createAll(Array.from({ length: 1_000 }, (_, i) => `https://n${i}.test/`));
    expect([projects.length, refused.length]).toEqual([1_000, 0]);
    expect((await list()).projects).toHaveLength(1_000);
    await expect(createAll(Array.from({ length: 1_001 }, () => SEED))).rejects.toMatchObject({ code: 'validation' });
  }, 60_000);
});
