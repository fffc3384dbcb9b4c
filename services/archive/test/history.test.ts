import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { callerIn, newWorkspace, type RunningService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { SWEEPING } from './discard-servers.ts';
import { keyOf, newProject, newRunOf, type ProjectRun, type RunServers, startRunServers } from './run-servers.ts';

const PAGE = 'https://example.com/terms';

let servers: RunServers;
let service: RunningService;
beforeAll(async () => {
  servers = await startRunServers(() => service.peer);
  service = servers.own(await startService(archive, { ...servers.env, ...SWEEPING }));
}, 120_000);
afterAll(() => servers.close());

type Project = Pick<ProjectRun, 'workspaceId' | 'projectId'>;
const day = (number: number): Date => new Date(Date.UTC(2026, 0, number));
const textHash = (text: string): Buffer => keyOf(text).subarray(0, 16);

/** Lists a run of each text on a day of its own, from the first of January on. Null: the page could not be read. */
async function runsOf(project: Project, texts: readonly (string | null)[]): Promise<ProjectRun[]> {
  const runs: ProjectRun[] = [];
  for (const [index, text] of texts.entries()) {
    const run = newRunOf(project);
    const row: Partial<PageRow> = { crawledAt: day(index + 1) };
    const page =
      text === null
        ? { url: PAGE, row: { ...row, verdict: 'blocked' as const, errorCode: 'NETWORK' as const, httpStatus: 0 } }
        : { url: PAGE, markdown: text, row: { ...row, textHash: textHash(text) } };
    await servers.whole(run, [page]);
    runs.push(run);
  }
  return runs;
}

const pageOf = ({ projectId }: Project) => ({ projectId, urlKeys: [keyOf(PAGE)] });
const list = (project: Project, range: { limit?: number; beforePageId?: string | undefined } = {}) =>
  service.peer.call(Rpc.listVersions, { ...pageOf(project), limit: 100, ...range }, callerIn(project.workspaceId));
const find = (project: Project, at: Date) =>
  service.peer.call(Rpc.findReading, { ...pageOf(project), at }, callerIn(project.workspaceId));

async function discard(runs: readonly (ProjectRun | undefined)[]): Promise<void> {
  for (const run of runs) {
    if (run === undefined) continue;
    await servers.discard(run);
    await until('the deletion of the run', async () => {
      const rows = await servers.sql('SELECT FROM archive.pages WHERE job_id = $1', [run.runId]);
      return rows.length === 0;
    });
  }
}

describe('the versions of a page', () => {
  it('are intervals of equal text, newest first, in pages that neither skip nor repeat one', async () => {
    const project = newProject();
    const runs = await runsOf(project, ['a', 'a', 'b', null, 'b', 'a']);
    const all = await list(project);
    expect(all.versions.map(({ first, last }) => [first?.runId, last?.runId])).toEqual([
      [runs[5]?.runId, runs[5]?.runId],
      [runs[2]?.runId, runs[4]?.runId],
      [runs[0]?.runId, runs[1]?.runId],
    ]);
    expect(all.versions.map(({ since, readings }) => [since, readings])).toEqual([
      [day(6), 1],
      [day(3), 2],
      [day(1), 2],
    ]);
    expect(all.versions[0]?.sameAs?.runId).toBe(runs[0]?.runId);
    expect(all.versions[0]?.replaced?.runId).toBe(runs[4]?.runId);
    expect(all.unread).toEqual([{ from: day(4), to: day(4), verdict: 'blocked', readings: 1 }]);
    expect(all.completeSince).toBeUndefined();

    const first = await list(project, { limit: 2 });
    expect(first).toMatchObject({ isMore: true, versions: all.versions.slice(0, 2), unread: all.unread });
    const rest = await list(project, { limit: 2, beforePageId: first.versions[1]?.first?.pageId });
    expect(rest).toMatchObject({ isMore: false, versions: all.versions.slice(2), unread: [] });
  });

  it('are not found for another workspace or project, a restricted key, or a PAGE that was never read', async () => {
    const project = newProject();
    await runsOf(project, ['a']);
    const request = { ...pageOf(project), limit: 1 };
    const calls = [
      service.peer.call(Rpc.listVersions, request, callerIn(newWorkspace())),
      service.peer.call(Rpc.listVersions, { ...request, projectId: newId('prj') }, callerIn(project.workspaceId)),
      service.peer.call(Rpc.listVersions, request, callerIn(project.workspaceId, { projects: [newId('prj')] })),
      service.peer.call(Rpc.listVersions, { ...request, urlKeys: [keyOf('x')] }, callerIn(project.workspaceId)),
      service.peer.call(Rpc.findReading, { ...pageOf(project), at: day(9) }, callerIn(newWorkspace())),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a reading at a time', () => {
  it('is the last good one that is not later, and absent before the first', async () => {
    const project = newProject();
    const runs = await runsOf(project, ['a', null, 'b']);
    expect((await find(project, new Date(day(3).getTime() - 1))).reading?.runId).toBe(runs[0]?.runId);
    expect((await find(project, day(3))).reading?.runId).toBe(runs[2]?.runId);
    expect((await find(project, new Date(day(1).getTime() - 1))).reading).toBeUndefined();
  });
});

describe('the history of a project with deleted runs', () => {
  it('keeps the first time of a text that a stored reading still has, and says since when it is complete', async () => {
    const project = newProject();
    const runs = await runsOf(project, ['a', 'a', 'a', 'b']);
    await discard(runs.slice(0, 2));
    const { versions, completeSince } = await list(project);
    expect(versions).toMatchObject([
      { since: day(4), readings: 1 },
      { since: day(1), readings: 3, first: { runId: runs[2]?.runId } },
    ]);
    expect(completeSince).toEqual(day(2));
  });

  it('does not date a text before a deleted reading with another one, in whichever order they are deleted', async () => {
    const orders = [
      [0, 1],
      [1, 0],
    ];
    for (const order of orders) {
      const project = newProject();
      const runs = await runsOf(project, ['a', 'b', 'a']);
      await discard(order.map((index) => runs[index]));
      expect((await list(project)).versions).toMatchObject([{ since: day(3), readings: 1 }]);
    }
  });

  it('leaves nothing once its last run is deleted', async () => {
    const project = newProject();
    await discard(await runsOf(project, ['a', 'a']));
    await until('the deletion of the history', async () => {
      const rows = await servers.sql('SELECT FROM archive.project_histories WHERE project_id = $1', [
        project.projectId,
      ]);
      return rows.length === 0;
    });
    await expect(list(project)).rejects.toMatchObject({ code: 'not_found' });
  });
});
