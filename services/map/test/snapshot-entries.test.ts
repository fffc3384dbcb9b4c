import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ListEntriesRequest } from '@tidemark/contracts/map/v1/map';
import { clientIn, indexOf, type MapServers, type SiteFiles, siteOf, startMapServers, urlset } from './map-servers.ts';

let siteFiles: SiteFiles = {};
let servers: MapServers;
beforeAll(async () => {
  servers = await startMapServers(
    siteOf(() => siteFiles),
    siteOf(() => ({})),
  );
}, 120_000);
afterAll(() => servers.close());
beforeEach(() => {
  siteFiles = {};
});
const at = (path: string) => `${servers.site.origin}${path}`;
const paths = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `/${name}/${String(from + i).padStart(5, '0')}`);
type Client = ReturnType<typeof clientIn>;

/** Reads all pages of a list, each from the snapshot of the first page. */
async function everyPage(client: Client, file: string, request: Partial<ListEntriesRequest>): Promise<string[]> {
  const seen: string[] = [];
  let snapshotId = request.snapshotId ?? '';
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await client.entries(file, { ...request, snapshotId, after });
    snapshotId = page.snapshotId;
    seen.push(...page.entries.map(({ url }) => url));
    after = page.next;
  }
  return seen;
}

describe('ListEntries of a snapshot', () => {
  const ofTwoFiles = () => ({
    '/sitemap.xml': indexOf([at('/a.xml'), at('/b.xml')]),
    '/a.xml': urlset(servers.site.origin, [...paths('docs/api', 0, 30), ...paths('blog', 0, 12), '/'], '2026-01-01'),
    '/b.xml': urlset(servers.site.origin, [...paths('blog', 6, 20)]),
  });

  it('returns each URL of the tree or of one file once for any page size', async () => {
    siteFiles = ofTwoFiles();
    const client = clientIn(servers);
    await client.map();
    const whole = [...new Set([...paths('blog', 0, 20), ...paths('docs/api', 0, 30), '/'])].map(at).sort();
    for (const limit of [1, 7, 51, 1_000]) expect((await everyPage(client, '', { limit })).sort()).toEqual(whole);
    const file = await everyPage(client, at('/b.xml'), { limit: 5 });
    expect(file).toEqual(paths('blog', 6, 20).map(at));
  });

  it('filters by path prefix and text, and counts the URLs of the folders below the prefix', async () => {
    siteFiles = ofTwoFiles();
    const client = clientIn(servers);
    await client.map();
    const all = await client.entries('', { limit: 1 });
    expect(all).toMatchObject({ total: 51, next: 1 });
    expect(all.prefixes).toEqual([
      { prefix: '/docs/', urls: 30 },
      { prefix: '/blog/', urls: 20 },
    ]);
    const docs = await client.entries('', { prefix: '/docs/', q: 'API/0001' });
    expect(docs).toMatchObject({ total: 10, prefixes: [{ prefix: '/docs/api/', urls: 10 }], next: undefined });
    await expect(client.entries(at('/none.xml'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('returns all pages from one snapshot while the site is mapped again', async () => {
    siteFiles = { '/sitemap.xml': urlset(servers.site.origin, paths('old', 0, 10)) };
    const client = clientIn(servers);
    await client.map();
    const first = await client.entries('', { limit: 4 });
    siteFiles = { '/sitemap.xml': urlset(servers.site.origin, paths('new', 0, 10)) };
    await client.map();
    const rest = await client.entries('', { limit: 100, after: first.next ?? 0, snapshotId: first.snapshotId });
    expect([...first.entries, ...rest.entries].map(({ url }) => url)).toEqual(paths('old', 0, 10).map(at));
  });
});

describe('changes between two snapshots', () => {
  it('are counted in full, returned as samples by Discovery, and listed without gaps by ListEntries', async () => {
    const client = clientIn(servers);
    const files = (older: string[], newer: string[], date: string) => ({
      '/sitemap.xml': indexOf([at('/a.xml'), at('/b.xml')]),
      '/a.xml': urlset(servers.site.origin, older, date),
      '/b.xml': urlset(servers.site.origin, newer, '2026-01-01'),
    });
    siteFiles = files(paths('p', 0, 3_000), paths('gone', 0, 6_000), '2026-01-01');
    const first = await client.map();
    siteFiles = files(paths('p', 0, 3_000), paths('came', 0, 11_000), '2026-03-01');
    const second = await client.map();
    const { diff } = await client.discovery(at('/'));
    expect(diff).toMatchObject({
      beforeId: first.job?.id,
      added: 11_000,
      removed: 6_000,
      updated: 3_000,
      isVerdict: true,
    });
    expect([diff?.urlsAdded.length, diff?.filesChanged.length]).toEqual([1_000, 2]);
    const snapshotId = second.job?.id ?? '';
    const page = { snapshotId, limit: 999 };
    expect(await everyPage(client, '', { ...page, set: 'added' })).toEqual(paths('came', 0, 11_000).map(at));
    expect(await everyPage(client, '', { ...page, set: 'removed' })).toEqual(paths('gone', 0, 6_000).map(at));
    expect(await everyPage(client, '', { ...page, set: 'updated' })).toEqual(paths('p', 0, 3_000).map(at));
    const found = await client.entries('', { set: 'added', q: '/0700', limit: 5, after: 5 });
    expect(found).toMatchObject({
      total: 10,
      next: undefined,
      entries: [{ url: at('/came/07005'), file: at('/b.xml') }, {}, {}, {}, {}],
    });
  });

  it('are the same for concurrent requests at two replicas', async () => {
    const client = clientIn(servers);
    siteFiles = { '/sitemap.xml': urlset(servers.site.origin, paths('x', 0, 100)) };
    await client.map();
    siteFiles = { '/sitemap.xml': urlset(servers.site.origin, paths('x', 50, 160)) };
    await client.map();
    const replica = await servers.replica();
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        i % 2 === 0
          ? client.discovery(at('/'))
          : clientIn({ ...servers, service: replica }, client.workspaceId).discovery(at('/')),
      ),
    );
    for (const { diff } of responses) expect(diff).toMatchObject({ added: 60, removed: 50, updated: 0 });
  });
});
