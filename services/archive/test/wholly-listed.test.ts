import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { callerIn, type RunningService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { newProject, newRunOf, type RunServers, site, startRunServers } from './run-servers.ts';

let servers: RunServers;
let service: RunningService;
beforeAll(async () => {
  servers = await startRunServers(() => service.peer);
  service = servers.own(await startService(archive, servers.env));
}, 120_000);
afterAll(() => servers.close());

const BEHIND_THE_END = { after: 2_147_483_647, limit: 1 };

it('a list after the end of a run is answered once the state of all its pages is final', async () => {
  const run = newRunOf();
  await servers.read(run, site(3));
  await until('pages to be listed while it goes on', async () => (await servers.urls(run)).length === 3);
  expect((await servers.query(run, BEHIND_THE_END)).isMore).toBe(true);
  await servers.publishEnd(run);
  await until('the last page to be listed', async () => !(await servers.query(run)).isMore);
  expect((await servers.query(run, BEHIND_THE_END)).isMore).toBe(true);
  await servers.publishFinal(run);
  await servers.rested(run);
  expect(await servers.query(run, BEHIND_THE_END)).toMatchObject({ isMore: false, pages: [] });
});

it('the last good reading before a run is found, however many readings came after it', async () => {
  const project = newProject();
  const url = 'https://example.com/long-watched';
  const readings: { runId: string; pageId: string }[] = [];
  for (const verdict of ['ok', 'blocked', 'ok', 'ok', 'ok'] as const) {
    const run = newRunOf(project);
    const [row] = await servers.whole(run, [{ url, markdown: 'low tide', row: { verdict } }]);
    readings.push({ runId: run.runId, pageId: row?.id ?? '' });
  }
  const before = async (at: number) => {
    const { runId = '', pageId = '' } = readings[at] ?? {};
    const run = { runId, projectId: project.projectId };
    const request = { run, pageId, bodies: [], versions: 1, beforeRunId: runId };
    return (await service.peer.call(Rpc.getPage, request, callerIn(project.workspaceId))).versions;
  };
  expect(await before(2)).toMatchObject([readings[0] ?? {}]);
  expect(await before(4)).toMatchObject([readings[3] ?? {}]);
  expect(await before(0)).toEqual([]);
});
