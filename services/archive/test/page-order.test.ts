import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { type MadePage, newRunOf, type ProjectRun, type RunServers, site, startRunServers } from './run-servers.ts';

let servers: RunServers;
let service: RunningService;
beforeAll(async () => {
  servers = await startRunServers(() => service.peer);
  service = servers.own(await startService(archive, servers.env));
}, 120_000);
afterAll(() => servers.close());

const PAGES: readonly MadePage[] = [
  ...['/b', '/B', '/a', '/ä', '/c'].map((path, i) => ({
    url: `https://example.com${path}`,
    row: { words: i % 2, credits: 3 - (i % 3), crawledAt: new Date(Date.UTC(2026, 0, 9 - i)) },
    known: { depth: 1 + (i % 2) },
  })),
  { url: 'https://example.com/none', row: { words: 7, httpStatus: 0, crawledAt: new Date(0) }, known: { depth: 9 } },
];

/** Reads a whole list in pages of two. */
async function numbersOf(run: ProjectRun, sort: string): Promise<(number | undefined)[]> {
  const seen: (number | undefined)[] = [];
  for (let after = 0, isMore = true; isMore; ) {
    const response = await servers.query(run, { sort, after, limit: 2 });
    expect(response.total).toBe(after === 0 ? PAGES.length : undefined);
    seen.push(...response.pages.map(({ known }) => known?.number));
    ({ last: after, isMore } = response);
  }
  return seen;
}

describe('the sorted pages of a run', () => {
  it('are returned once each in both directions, equal values in the order in which the pages ended, missing values last', async () => {
    const run = newRunOf();
    await servers.whole(run, PAGES, ({ number }) => ({ inLinks: number < 3 ? 4 : 10 - number }));
    const expected = {
      url: [2, 3, 1, 5, 6, 4],
      '-url': [4, 6, 5, 1, 3, 2],
      httpStatus: [1, 2, 3, 4, 5, 6],
      '-httpStatus': [1, 2, 3, 4, 5, 6],
      words: [1, 3, 5, 2, 4, 6],
      '-words': [6, 2, 4, 1, 3, 5],
      credits: [3, 6, 2, 5, 1, 4],
      '-credits': [1, 4, 2, 5, 3, 6],
      crawledAt: [6, 5, 4, 3, 2, 1],
      '-crawledAt': [1, 2, 3, 4, 5, 6],
      depth: [1, 3, 5, 2, 4, 6],
      '-depth': [6, 2, 4, 1, 3, 5],
      inLinks: [1, 2, 6, 5, 4, 3],
      '-inLinks': [3, 4, 5, 1, 2, 6],
    };
    for (const [sort, numbers] of Object.entries(expected))
      expect([sort, await numbersOf(run, sort)]).toEqual([sort, numbers]);
    expect((await servers.query(run, { sort: '-words', q: 'words:<5', limit: 1 })).pages[0]?.known?.number).toBe(2);
  });

  it('are refused with 409 until the run has ended and is listed, and with the known fields for another one', async () => {
    const run = newRunOf();
    await servers.read(run, site(3));
    await until('three pages', async () => (await servers.urls(run)).length === 3);
    await expect(servers.query(run, { sort: 'url' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(servers.query(run, { sort: '-title' })).rejects.toMatchObject({
      code: 'validation',
      detail: [{ loc: ['query', 'sort'], msg: expect.stringContaining('httpStatus') }],
    });
    await servers.finish(run);
    await servers.rested(run);
    expect((await servers.query(run, { sort: '-url' })).pages.map(({ known }) => known?.number)).toEqual([3, 2, 1]);
  });
});
