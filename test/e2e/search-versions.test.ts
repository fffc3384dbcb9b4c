import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FoundPages, Project } from '@tidemark/api';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const fleet = sharedFleet();
let site: HarbourSite;
let workspace: Workspace;
let project: Project;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  site = await startHarbour('127.0.0.5');
  project = await makeProject(workspace.writer, { seed: `${site.origin}/` });
  for (const fee of [12, 14, 14, 15]) {
    site.fee = fee;
    await runToEnd(workspace.writer, project.id);
  }
}, 120_000);
afterAll(async () => {
  site.close();
  await fleet.close();
});

async function search(body: Readonly<Record<string, unknown>>): Promise<FoundPages> {
  const sent = { across: 'versions', ...body };
  const { status, body: found, text } = await workspace.reader.post(`/projects/${project.id}/pages/search`, sent);
  if (status !== 200) throw new Error(text);
  return found as FoundPages;
}

describe('a search across versions', () => {
  test('states when a page contained the words', async () => {
    const { data, runId, total, next } = await search({ q: '"fee is 14"' });
    expect([data.length, runId, total, next]).toEqual([1, null, null, null]);
    const [{ url = '', intervals = [] } = {}] = data;
    expect(new URL(url).pathname).toBe('/prices');
    expect(intervals).toHaveLength(1);
    const [{ firstSeen = '', lastSeen = '', goneSeen = '', excerpts = [] } = {}] = intervals ?? [];
    expect([firstSeen < lastSeen, lastSeen < (goneSeen ?? '')]).toEqual([true, true]);
    expect(excerpts[0]?.text).toContain('fee is 14 crowns');
  });

  test('states no end for what the newest reading contains, and finds what no reading of the newest run does', async () => {
    const shown = (await search({ q: '"fee is 15"' })).data;
    expect(shown.map(({ intervals }) => intervals?.map(({ goneSeen }) => goneSeen))).toEqual([[null]]);
    expect((await search({ q: '"fee is 12"' })).data).toHaveLength(1);
    expect((await search({ q: '"fee is 99"' })).data).toEqual([]);
  });

  test('is continued by its cursor', async () => {
    const urls: string[] = [];
    let cursor: string | null | undefined;
    do {
      const part = await search({ q: 'gauge', limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      urls.push(...part.data.map(({ url }) => url));
      cursor = part.cursor;
    } while (cursor !== null);
    const whole = await search({ q: 'gauge' });
    expect(urls).toEqual(whole.data.map(({ url }) => url));
    expect(urls.length).toBeGreaterThan(2);
  });

  test.each([
    [{ mode: 'selector' }, 'mode'],
    [{ run_id: 'run_01j5xq2w8se6fa7t0a6q1n3k2m' }, 'run_id'],
    [{ across: 'run', since: '2026-01-01' }, 'since'],
  ])('is refused with %j', async (more, field) => {
    const body = { q: 'fee', across: 'versions', ...more };
    const response = await workspace.reader.post(`/projects/${project.id}/pages/search`, body);
    expect(errorOf(response)).toMatchObject({ status: 422, fields: [field] });
  });
});

describe('a quote', () => {
  const verify = async (body: Readonly<Record<string, unknown>>) => {
    const { status, body: found, text } = await workspace.reader.post('/cite/verify', body);
    if (status !== 200) throw new Error(text);
    return found as Record<string, unknown>;
  };

  test('is said by the newest reading of a page, or was said until a time, or never', async () => {
    const still = await verify({ quote: 'The fee is 15 crowns a night' });
    expect(still).toMatchObject({ status: 'said', projectId: project.id, goneSeen: null, complete: true });
    expect(new URL(String(still['url'])).pathname).toBe('/prices');
    expect(still['excerpt']).toContain('fee is 15 crowns');
    const former = await verify({ quote: 'the fee is 14 crowns', url: `${site.origin}/prices` });
    expect(former).toMatchObject({ status: 'said_until', goneSeen: expect.any(String) });
    expect(await verify({ quote: 'the fee is 99 crowns' })).toMatchObject({
      status: 'never_said',
      url: null,
      complete: true,
    });
    expect(await verify({ quote: 'the fee is 14 crowns', url: `${site.origin}/hidden` })).toMatchObject({
      status: 'never_said',
    });
  });

  test('was said at a time between its first and last reading', async () => {
    const { firstSeen, goneSeen } = await verify({ quote: 'the fee is 14 crowns' });
    const at = (time: unknown, ms: number) => new Date(Date.parse(String(time)) + ms).toISOString();
    expect(await verify({ quote: 'the fee is 14 crowns', at: at(firstSeen, 1) })).toMatchObject({ status: 'said' });
    expect(await verify({ quote: 'the fee is 14 crowns', at: at(goneSeen, 1) })).toMatchObject({
      status: 'said_until',
    });
    expect(await verify({ quote: 'the fee is 14 crowns', at: at(firstSeen, -1) })).toMatchObject({
      status: 'never_said',
    });
  });
});
