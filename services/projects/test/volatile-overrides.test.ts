import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { configOf, type ProjectsWithCrawl, projectClient, startWithCrawl } from './start-with-crawl.ts';

let fixture: ProjectsWithCrawl;
beforeAll(async () => {
  fixture = await startWithCrawl();
}, 120_000);
afterAll(() => fixture.close());

const placeOf = (at: number): string => `${at}`.padStart(16, '0');

function overrideClient() {
  const client = projectClient(fixture.service);
  const { peer } = fixture.service;
  const caller = callerIn(client.workspaceId);
  return {
    ...client,
    caller,
    save: async (projectId: string, place: string, ignore: boolean, more: { url?: string; text?: string } = {}) => {
      const request = { projectId, place, ignore, url: 'https://site.test/a', text: 'Featured today', ...more };
      const { project } = await peer.call(Rpc.saveVolatileOverride, request, caller);
      if (project === undefined) throw new Error('expected a project');
      return { version: project.configVersion, overrides: configOf(project)['volatile_overrides'] };
    },
    keysOfVersions: async (projectId: string) => {
      const { versions } = await peer.call(Rpc.listConfigVersions, { projectId, limit: 100 }, caller);
      return versions.map(({ keys }) => keys);
    },
  };
}

it('a decision about a place is a version of the config, and the same decision again is none', async () => {
  const { create, save, keysOfVersions } = overrideClient();
  const { id } = await create({ max_pages: 5 });
  const decision = { place: placeOf(1), ignore: false, url: 'https://site.test/a', text: 'Featured today' };
  expect(await save(id, placeOf(1), false)).toEqual({ version: 2, overrides: [decision] });
  expect(await save(id, placeOf(1), false)).toEqual({ version: 2, overrides: [decision] });
  expect(await save(id, placeOf(2), true)).toMatchObject({ version: 3, overrides: [decision, { ignore: true }] });
  expect(await save(id, placeOf(1), true)).toMatchObject({
    version: 4,
    overrides: [
      { place: placeOf(2), ignore: true },
      { place: placeOf(1), ignore: true },
    ],
  });
  expect(await keysOfVersions(id)).toEqual([...Array(3).fill(['volatile_overrides']), ['max_pages']]);
});

it('concurrent decisions about different places are all kept', async () => {
  const { create, save, get } = overrideClient();
  const { id } = await create({});
  await Promise.all(Array.from({ length: 8 }, (_, at) => save(id, placeOf(at), at % 2 === 0)));
  expect(configOf(await get(id))['volatile_overrides']).toHaveLength(8);
});

it('a decision shows the beginning of its text, whatever characters the page has', async () => {
  const { create, save } = overrideClient();
  const { id } = await create({});
  const text = `NUL \u0000 and half a pair \ud800 ${'x'.repeat(161)}\u{1f30a}${'y'.repeat(100)}`;
  const { overrides } = await save(id, placeOf(1), true, { text });
  expect(overrides).toMatchObject([{ text: expect.stringMatching(/^NUL {2}and half a pair \ufffd x+/) }]);
});

it('a decision is refused for an invalid place, above the limit, and for a project of another workspace', async () => {
  const { create, save, update, caller } = overrideClient();
  const { id } = await create({});
  await expect(save(id, 'elsewhere', true)).rejects.toMatchObject({ code: 'validation' });
  const many = Array.from({ length: 500 }, (_, at) => ({ place: placeOf(at), ignore: true }));
  await update(id, {}, { volatile_overrides: many });
  await expect(save(id, placeOf(500), true)).rejects.toMatchObject({
    code: 'validation',
    message: expect.stringContaining('at most 500 places'),
  });
  expect(await save(id, placeOf(499), false)).toMatchObject({ version: 3 });
  const request = { projectId: id, place: placeOf(1), ignore: true, url: '', text: '' };
  const elsewhere = fixture.service.peer.call(Rpc.saveVolatileOverride, request, callerIn(newWorkspace()));
  await expect(elsewhere).rejects.toMatchObject({ code: 'not_found' });
  expect(caller).toBeDefined();
});
