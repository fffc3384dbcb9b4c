import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { clientIn, indexOf, type MapServers, type SiteFiles, siteOf, startMapServers, urlset } from './map-servers.ts';

let siteFiles: SiteFiles = {};
let servers: MapServers;
const at = (path: string) => `${servers.site.origin}${path}`;
beforeAll(async () => {
  servers = await startMapServers(
    siteOf(() => siteFiles),
    siteOf(() => ({})),
  );
}, 120_000);
beforeEach(() => {
  siteFiles = {};
});
afterAll(() => servers.close());

describe('snapshot', () => {
  it('reports the URLs and files added, removed and changed since the previous snapshot', async () => {
    const client = clientIn(servers);
    siteFiles = {
      '/sitemap.xml': indexOf([at('/a.xml'), at('/b.xml')]),
      '/a.xml': urlset(servers.site.origin, ['/a/1', '/a/2'], '2026-01-01'),
      '/b.xml': urlset(servers.site.origin, ['/b/1'], '2026-01-01'),
    };
    expect((await client.discovery(at('/'))).snapshot).toBeUndefined();
    const first = await client.map();
    expect(await client.discovery(at('/'))).toMatchObject({
      snapshot: { id: first.job?.id, complete: true },
      diff: undefined,
    });
    siteFiles = {
      '/sitemap.xml': indexOf([at('/a.xml'), at('/c.xml')]),
      '/a.xml': urlset(servers.site.origin, ['/a/2', '/a/3'], '2026-02-01'),
      '/c.xml': urlset(servers.site.origin, ['/b/1'], '2026-01-01'),
    };
    await client.map();
    const { snapshot, diff } = await client.discovery(at('/anywhere'));
    expect(snapshot?.files.map(({ section, urls }) => [section, urls])).toEqual([
      ['sitemap', 2],
      ['/a/', 2],
      ['/b/', 1],
    ]);
    expect(diff).toMatchObject({ beforeId: first.job?.id, added: 1, removed: 1, updated: 1, isVerdict: true });
    expect([diff?.urlsAdded, diff?.urlsRemoved, diff?.urlsUpdated]).toEqual([[at('/a/3')], [at('/a/1')], [at('/a/2')]]);
    expect([diff?.filesAdded, diff?.filesRemoved]).toEqual([[at('/c.xml')], [at('/b.xml')]]);
    expect(await client.entries(at('/a.xml'), { limit: 1, after: 1 })).toMatchObject({
      total: 2,
      entries: [{ url: at('/a/3') }],
    });
  });

  it('is not visible to other workspaces, nor is its map', async () => {
    siteFiles = { '/sitemap.xml': urlset(servers.site.origin, ['/x']) };
    const { job } = await clientIn(servers).map();
    const other = clientIn(servers);
    await expect(other.job(job?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    await expect(other.rows(job?.id ?? '', 0, 10)).rejects.toMatchObject({ code: 'not_found' });
    expect((await other.discovery(at('/'))).snapshot).toBeUndefined();
  });
});
