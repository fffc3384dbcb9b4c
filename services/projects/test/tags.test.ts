import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ONE_PAGE, type ProjectsWithCrawl, projectClient, SEED, startWithCrawl } from './start-with-crawl.ts';

const REFUSED = { code: 'validation' };

let fixture: ProjectsWithCrawl;
beforeAll(async () => {
  fixture = await startWithCrawl();
}, 120_000);
afterAll(() => fixture.close());

const client = (...more: [string?, Parameters<typeof projectClient>[2]?]) => projectClient(fixture.service, ...more);

describe('the tags of a project', () => {
  it('are stored sorted, each once, in Unicode form C', async () => {
    const { create, get } = client();
    const made = await create({}, { tags: ['legal', 'Vertra\u0308ge', 'EU', 'legal'] });
    expect(made.tags).toEqual(['EU', 'Vertr\u00e4ge', 'legal']);
    expect(await get(made.id)).toEqual(made);
  });

  it('are replaced by an update that has tags, removed by an empty list, and otherwise unchanged', async () => {
    const { create, update } = client();
    const { id } = await create({}, { tags: ['legal'] });
    expect((await update(id, { nameChange: { $case: 'name', value: 'x' } })).tags).toEqual(['legal']);
    expect((await update(id, { tags: { tags: ['news', 'eu'] } })).tags).toEqual(['eu', 'news']);
    expect((await update(id, { tags: { tags: [] } })).tags).toEqual([]);
  });

  it('leave the project unchanged where an update repeats them in another order', async () => {
    const { create, update } = client();
    const made = await create({}, { tags: ['a', 'b'] });
    expect((await update(made.id, { tags: { tags: ['b', 'a'] } })).updatedAt).toEqual(made.updatedAt);
  });

  it('are those of the request for every project of a batch, and not those of its template', async () => {
    const { create, createAll } = client();
    const template = await create({}, { tags: ['template'] });
    const seeds = ['https://a.test/', 'https://b.test/'];
    const { projects } = await createAll(seeds, { templateProjectId: template.id, tags: ['batch'] });
    expect(projects.map(({ tags }) => tags)).toEqual([['batch'], ['batch']]);
    expect((await createAll([SEED], { templateProjectId: template.id })).projects[0]?.tags).toEqual([]);
  });

  it('are those of the first response where a request is repeated under its Idempotency-Key', async () => {
    const { create, update } = client();
    const key = { idempotencyKey: newId('req'), requestHash: 'a', tags: ['first'] };
    const made = await create({}, key);
    await update(made.id, { tags: { tags: ['second'] } });
    expect(await create({}, key)).toEqual(made);
  });

  it.each([
    ['an empty text', ['']],
    ['a comma', ['a,b']],
    ['a space at its end', ['legal ']],
    ['a line break', ['a\nb']],
    ['51 characters', ['x'.repeat(51)]],
    ['20 others', Array.from({ length: 21 }, (_, at) => `t${at}`)],
  ])('are refused with %s', async (_, tags) => {
    const { create, createAll, update } = client();
    await expect(create({}, { tags })).rejects.toMatchObject(REFUSED);
    await expect(createAll([SEED], { tags })).rejects.toMatchObject(REFUSED);
    await expect(update((await create()).id, { tags: { tags } })).rejects.toMatchObject(REFUSED);
  });
});

describe('the list of projects with a tag', () => {
  it('has every project with the tag, in pages, and no other', async () => {
    const { create, list } = client();
    const [first, , second] = [
      await create({}, { tags: ['legal', 'eu'] }),
      await create({}, { tags: ['legal-archive'] }),
      await create({}, { tags: ['legal'] }),
    ];
    const page = await list({ tag: 'legal', limit: 1 });
    expect(page.projects.map(({ id }) => id)).toEqual([second.id]);
    const rest = await list({ tag: 'legal', limit: 1, cursor: page.next });
    expect(rest).toMatchObject({ projects: [{ id: first.id }], next: undefined });
    expect((await list({ tag: 'Legal' })).projects).toEqual([]);
  });

  it('has no project of another workspace, and for a restricted key only those of the key', async () => {
    const { workspaceId, create } = client();
    const [shown] = [await create({}, { tags: ['shared'] }), await create({}, { tags: ['shared'] })];
    expect((await client().list({ tag: 'shared' })).projects).toEqual([]);
    const { projects } = await client(workspaceId, { projects: [shown.id] }).list({ tag: 'shared' });
    expect(projects.map(({ id }) => id)).toEqual([shown.id]);
  });
});

describe('runs of the projects with a tag', () => {
  it('start for each of them; one that cannot start does not block the others', async () => {
    const { create, startRun, startTaggedRuns, cancel } = client();
    const [first, busy] = [await create(ONE_PAGE, { tags: ['fleet'] }), await create(ONE_PAGE, { tags: ['fleet'] })];
    await create(ONE_PAGE, { tags: ['other'] });
    const { id: run } = await startRun(busy.id);
    const results = await startTaggedRuns('fleet');
    expect(results.map(({ projectId }) => projectId)).toEqual([busy.id, first.id]);
    expect(results[1]).toMatchObject({ run: { projectId: first.id } });
    await cancel(busy.id, run);
  });

  it('start for no project that the key may not see', async () => {
    const { workspaceId, create, runs } = client();
    const [shown, hidden] = [await create(ONE_PAGE, { tags: ['fleet'] }), await create(ONE_PAGE, { tags: ['fleet'] })];
    const results = await client(workspaceId, { projects: [shown.id] }).startTaggedRuns('fleet');
    expect(results.map(({ projectId }) => projectId)).toEqual([shown.id]);
    expect((await runs(hidden.id)).runs).toEqual([]);
  });

  it('are none for a tag that no project has', async () => {
    expect(await client().startTaggedRuns('unused')).toEqual([]);
  });

  it('are refused for an invalid tag', async () => {
    await expect(client().startTaggedRuns('a,b')).rejects.toMatchObject(REFUSED);
  });
});
