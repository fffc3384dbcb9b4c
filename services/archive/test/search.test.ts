import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FoundPage } from '@tidemark/contracts/archive/v1/archive';
import { type RunningService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { type MadePage, newRunOf, type ProjectRun, type RunServers, startRunServers } from './run-servers.ts';

let servers: RunServers;
let service: RunningService;
beforeAll(async () => {
  servers = await startRunServers(() => service.peer);
  service = servers.own(await startService(archive, servers.env));
}, 120_000);
afterAll(() => servers.close());

const said = (markdown: string, at: number): MadePage => ({ url: `https://example.com/${at}`, markdown });
const urlsOf = (pages: readonly FoundPage[]) => pages.map(({ page }) => page?.page?.row?.url);

/** Returns all that a search finds, with as many calls as it takes. */
async function all(run: ProjectRun, q: string, limit = 100) {
  const pages: FoundPage[] = [];
  let scanned = 0;
  for (let after = 0, isMore = true; isMore; ) {
    const response = await servers.search(run, q, { after, limit });
    pages.push(...response.pages);
    scanned += response.scanned;
    ({ last: after, isMore } = response);
  }
  return { pages, scanned };
}

describe('a search for words', () => {
  it('finds every page that contains them, with count and position, and counts the pages without words', async () => {
    const run = newRunOf();
    await servers.whole(run, [
      said('The spring tide comes. Another Spring\ntide.', 1),
      said('spring, and much later a tide', 2),
      { url: 'https://example.com/3' },
      said('neap', 4),
    ]);
    const response = await servers.search(run, '"spring tide"');
    expect(urlsOf(response.pages)).toEqual(['https://example.com/1']);
    expect(response).toMatchObject({ scanned: 4, withoutBody: 1, total: 4, isMore: false });
    expect(response.pages[0]?.matches).toBe(2);
    const [excerpt] = response.pages[0]?.excerpts ?? [];
    expect(excerpt?.text.slice(excerpt.marks[0], excerpt.marks[1])).toBe('spring tide');
    expect(urlsOf((await servers.search(run, 'tide spring')).pages)).toHaveLength(2);
    expect(urlsOf((await servers.search(run, 'tide -much')).pages)).toEqual(['https://example.com/1']);
    expect(urlsOf((await servers.search(run, '-tide')).pages)).toEqual(['https://example.com/4']);
  });

  it('finds each page once for any page size', async () => {
    const run = newRunOf();
    const pages = Array.from({ length: 300 }, (_, i) => said(`${i % 3 === 0 ? 'ebb' : 'flow'} number${i}`, i));
    await servers.whole(run, pages);
    for (const limit of [1, 7, 1_000]) {
      const { pages: found, scanned } = await all(run, 'ebb', limit);
      expect(urlsOf(found)).toEqual(pages.filter((_, i) => i % 3 === 0).map(({ url }) => url));
      expect(scanned).toBe(300);
    }
    expect(urlsOf((await servers.search(run, 'number299')).pages)).toEqual(['https://example.com/299']);
  });

  it('misses no page of a running run whose words are not indexed yet', async () => {
    const run = newRunOf();
    await servers.read(run, [said('ebb', 1), said('flow', 2)]);
    const response = await until('both pages to be listed', async () => {
      const found = await servers.search(run, 'flow');
      return found.total === 2 && found;
    });
    expect(urlsOf(response.pages)).toEqual(['https://example.com/2']);
    expect(response).toMatchObject({ isMore: true, last: 2 });
  });

  it('for nothing is refused', async () => {
    const run = newRunOf();
    await servers.whole(run, [said('ebb', 1)]);
    await expect(servers.search(run, ' - ')).rejects.toMatchObject({
      code: 'validation',
      detail: [{ loc: ['body', 'q'] }],
    });
  });
});
