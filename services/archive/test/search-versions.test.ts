import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { type FoundVersions, ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { callerIn, newWorkspace, type RunningService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { SWEEPING } from './discard-servers.ts';
import {
  keyOf,
  type MadePage,
  newProject,
  newRunOf,
  type ProjectRun,
  type RunServers,
  startRunServers,
} from './run-servers.ts';

let servers: RunServers;
let service: RunningService;
beforeAll(async () => {
  servers = await startRunServers(() => service.peer);
  service = servers.own(await startService(archive, { ...servers.env, ...SWEEPING }));
}, 120_000);
afterAll(() => servers.close());

type Project = Pick<ProjectRun, 'workspaceId' | 'projectId'>;
type Search = { q: string; since?: Date; until?: Date; limit?: number; after?: { runId: string; number: number } };
const day = (number: number): Date => new Date(Date.UTC(2026, 0, number));
const HOME = 'https://example.com/';

/** Texts of the pages of a run, by URL; null: the page could not be read. */
type Site = Readonly<Record<string, string | null>>;

const pageOn = (at: Date, url: string, text: string | null): MadePage =>
  text === null
    ? { url, row: { crawledAt: at, verdict: 'blocked', errorCode: 'NETWORK', httpStatus: 0 } }
    : { url, markdown: text, row: { crawledAt: at, textHash: keyOf(text).subarray(0, 16) } };

/** Lists a run of each site on a day of its own, from the first of January on. */
async function runsOf(project: Project, sites: readonly Site[]): Promise<ProjectRun[]> {
  const runs: ProjectRun[] = [];
  for (const [index, site] of sites.entries()) {
    const run = newRunOf(project);
    await servers.whole(
      run,
      Object.entries(site).map(([url, text]) => pageOn(day(index + 1), url, text)),
    );
    runs.push(run);
  }
  return runs;
}

const search = ({ projectId, workspaceId }: Project, { q, limit = 100, ...more }: Search) =>
  service.peer.call(Rpc.searchVersions, { projectId, q, limit, ...more }, callerIn(workspaceId));
/** The days of each interval: first seen, last seen, gone. */
const daysOf = ({ intervals }: FoundVersions) =>
  intervals.map(({ since, last, goneAt }) => [since, last?.crawledAt, goneAt].map((at) => at?.getUTCDate()));
const urlsOf = (pages: readonly FoundVersions[]) => pages.map(({ page }) => page?.page?.row?.url);

describe('a search across versions', () => {
  it('states the intervals in which a page contained the words, newest first', async () => {
    const project = newProject();
    const texts = ['neap tide', 'spring tide', 'the spring tide of May', null, 'calm', 'spring tide', 'calm'];
    await runsOf(
      project,
      texts.map((text) => ({ [HOME]: text })),
    );
    const { pages, scanned, last } = await search(project, { q: '"spring tide"' });
    expect(urlsOf(pages)).toEqual([HOME]);
    expect(pages.map(daysOf)).toEqual([
      [
        [6, 6, 7],
        [2, 3, 5],
      ],
    ]);
    expect(pages[0]?.intervals[1]?.excerpts[0]?.text).toContain('spring tide of May');
    expect([scanned, last]).toEqual([6, undefined]);
  });

  it('states no end where the newest reading still contains them', async () => {
    const project = newProject();
    await runsOf(project, [{ [HOME]: 'calm' }, { [HOME]: 'spring tide' }, { [HOME]: null }]);
    const { pages } = await search(project, { q: 'spring' });
    expect(pages.map(daysOf)).toEqual([[[2, 2, undefined]]]);
  });

  it('finds pages that the newest run does not have', async () => {
    const project = newProject();
    await runsOf(project, [{ [HOME]: 'calm', [`${HOME}old`]: 'spring tide' }, { [HOME]: 'calm' }]);
    const { pages } = await search(project, { q: 'spring' });
    expect(urlsOf(pages)).toEqual([`${HOME}old`]);
  });

  it('finds each page once, whatever the size of a response', async () => {
    const project = newProject();
    const names = Array.from({ length: 150 }, (_, at) => `${HOME}${at}`);
    const site = (from: number): Site =>
      Object.fromEntries(names.slice(from).map((url, at) => [url, (at + from) % 3 === 0 ? `spring ${from}` : 'calm']));
    await runsOf(project, [site(0), site(20), site(50)]);
    for (const limit of [1, 7, 1_000]) {
      const found: FoundVersions[] = [];
      let after: Search['after'];
      do {
        const part = await search(project, { q: 'spring', limit, ...(after === undefined ? {} : { after }) });
        expect(part.pages.length).toBeLessThanOrEqual(limit);
        found.push(...part.pages);
        after = part.last;
      } while (after !== undefined);
      expect(urlsOf(found).sort()).toEqual(names.filter((_, at) => at % 3 === 0).sort());
    }
  });

  it('leaves out intervals outside of the requested time', async () => {
    const project = newProject();
    await runsOf(
      project,
      ['spring', 'calm', 'spring', 'spring'].map((text) => ({ [HOME]: text })),
    );
    const days = async (range: Partial<Search>) => (await search(project, { q: 'spring', ...range })).pages.map(daysOf);
    expect(await days({ since: day(3) })).toEqual([[[3, 4, undefined]]]);
    expect(await days({ until: day(2) })).toEqual([[[1, 1, 2]]]);
    expect(await days({ since: day(2), until: day(2) })).toEqual([]);
  });

  it('counts versions without a stored text, and reads nothing into them', async () => {
    const project = newProject();
    const run = newRunOf(project);
    await servers.whole(run, [{ url: HOME, row: { crawledAt: day(1) } }]);
    expect(await search(project, { q: 'spring' })).toMatchObject({ pages: [], scanned: 1, withoutBody: 1 });
  });

  it('does not find what was deleted, and states from when on it is complete', async () => {
    const project = newProject();
    const [first] = await runsOf(project, [{ [HOME]: 'spring' }, { [HOME]: 'calm' }]);
    if (first !== undefined) await servers.discard(first);
    const found = await until('the deletion of the run', async () => {
      const response = await search(project, { q: 'spring' });
      return response.completeSince === undefined ? undefined : response;
    });
    expect([found.pages, found.completeSince]).toEqual([[], day(1)]);
  });

  it('is of one workspace, and of the projects that a key may access', async () => {
    const project = newProject();
    await runsOf(project, [{ [HOME]: 'spring' }]);
    const other = { projectId: project.projectId, workspaceId: newWorkspace() };
    expect((await search(other, { q: 'spring' })).pages).toEqual([]);
    const limited = callerIn(project.workspaceId, { projects: [newId('prj')] });
    const request = { projectId: project.projectId, q: 'spring', limit: 1 };
    await expect(service.peer.call(Rpc.searchVersions, request, limited)).rejects.toMatchObject({ code: 'not_found' });
  });
});
