import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Project } from '@tidemark/api';
import { type Api, errorOf } from '../harness/api.ts';
import { recordOf } from '../harness/changes.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

interface Listed {
  readonly id: string;
  readonly runId: string;
  readonly projectId: string;
  readonly kind: string;
  readonly madeAt: string;
}
interface ChangeList {
  readonly data: Listed[];
  readonly cursor: string | null;
  readonly next: string | null;
  readonly until: string;
}

const fleet = sharedFleet();
let site: HarbourSite;
let workspace: Workspace;
let watched: Project[];

/** Two projects of the team `harbour` and one of no team; a change in each, and a second one in the first. */
beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  site = await startHarbour('127.0.0.5');
  const seed = `${site.origin}/`;
  const make = (tags: readonly string[]) => makeProject(workspace.writer, { seed, tags });
  watched = [await make(['harbour', 'prices']), await make(['harbour']), await make([])];
  const runAll = async (projects: readonly Project[]) => {
    for (const { id } of projects) {
      const run = await runToEnd(workspace.writer, id);
      await recordOf(workspace.reader, id, run.id);
    }
  };
  await runAll(watched);
  site.fee = 14;
  await runAll(watched);
  site.fee = 15;
  await runAll(watched.slice(0, 1));
}, 180_000);
afterAll(async () => {
  site.close();
  await fleet.close();
});

async function list(query = '', api: Api = workspace.reader): Promise<ChangeList> {
  const { status, body, text } = await api.get(`/changes${query}`);
  if (status !== 200) throw new Error(text);
  return body as ChangeList;
}
const projectsIn = ({ data }: ChangeList): string[] => data.map(({ projectId }) => projectId);
const idOf = (at: number): string => watched[at]?.id ?? '';

describe('the changes of many projects', () => {
  test('are listed with their project, the newest record first', async () => {
    const all = await list();
    expect(projectsIn(all)).toEqual([idOf(0), idOf(2), idOf(1), idOf(0)]);
    expect(all.data.map(({ kind }) => kind)).toEqual(['modified', 'modified', 'modified', 'modified']);
    const times = all.data.map(({ madeAt }) => madeAt);
    expect(times).toEqual([...times].sort().reverse());
    expect([all.next, all.cursor]).toEqual([null, null]);
  });

  test('are paged without a gap or a repetition', async () => {
    const ids: string[] = [];
    let path: string | null = '/changes?limit=1';
    while (path !== null) {
      const { data, next } = (await workspace.reader.get(path)).body as ChangeList;
      ids.push(...data.map(({ id }) => id));
      path = next === null ? null : next.slice(next.indexOf('/v1') + 3);
    }
    expect(ids).toEqual((await list()).data.map(({ id }) => id));
  });

  test('are those of the projects with a tag', async () => {
    expect(projectsIn(await list('?tag=harbour'))).toEqual([idOf(0), idOf(1), idOf(0)]);
    expect(projectsIn(await list('?tag=prices'))).toEqual([idOf(0), idOf(0)]);
    expect((await list('?tag=none')).data).toEqual([]);
  });

  test('are those since a time, and `until` of a response continues it', async () => {
    const { data, until } = await list();
    expect((await list(`?since=${data[0]?.madeAt}`)).data).toEqual(data.slice(0, 1));
    expect((await list(`?since=${until}`)).data).toEqual(data);
    expect((await list(`?since=${new Date(Date.now() + 60_000).toISOString()}`)).data).toEqual([]);
    expect(errorOf(await workspace.reader.get('/changes?since=yesterday'))).toMatchObject({ status: 422 });
  });

  test('are filtered by kind and by review', async () => {
    expect((await list('?kind=added')).data).toEqual([]);
    const [first] = (await list()).data;
    await workspace.writer.post(`/projects/${first?.projectId}/changes/${first?.id}/review`, { reviewed: true });
    expect((await list('?unreviewed=true')).data).toHaveLength(3);
  });

  test('are those of the projects that a restricted key may read, also with a tag', async () => {
    const restricted = await fleet.workspaces.key(workspace.id, { scopes: ['read'], projects: [idOf(1), idOf(2)] });
    expect(projectsIn(await list('', restricted))).toEqual([idOf(2), idOf(1)]);
    expect(projectsIn(await list('?tag=harbour', restricted))).toEqual([idOf(1)]);
    const other = await fleet.workspaces.make();
    expect((await list('', other.reader)).data).toEqual([]);
  });
});
