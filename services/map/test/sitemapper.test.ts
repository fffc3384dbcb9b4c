import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import Sitemapper from 'sitemapper';
import { clientIn, indexOf, type MapServers, type SiteFiles, siteOf, startMapServers, urlset } from './map-servers.ts';

let served: SiteFiles = {};
let servers: MapServers;
beforeAll(async () => {
  servers = await startMapServers(
    siteOf(() => served),
    siteOf(() => ({})),
  );
}, 120_000);
afterAll(() => servers.close());

interface File {
  readonly isPacked: boolean;
  readonly paths: readonly string[];
}

const SEGMENT = fc.stringMatching(/^[a-z0-9][a-z0-9~_.-]{0,8}$/);
const PATH = fc.array(SEGMENT, { minLength: 1, maxLength: 3 }).map((segments) => `/${segments.join('/')}`);
const FILES = fc.array(
  fc.record<File>({ isPacked: fc.boolean(), paths: fc.uniqueArray(PATH, { minLength: 1, maxLength: 12 }) }),
  { minLength: 1, maxLength: 5 },
);

/** A site whose sitemap index names these files, half of them through a second index. */
function siteWith(origin: string, files: readonly File[]): SiteFiles {
  const named = files.map((file, at) => {
    const xml = urlset(origin, file.paths, '2026-01-05');
    return file.isPacked ? ([`/map-${at}.xml.gz`, gzipSync(xml)] as const) : ([`/map-${at}.xml`, xml] as const);
  });
  const urls = named.map(([path]) => origin + path);
  const half = Math.ceil(urls.length / 2);
  return {
    ...Object.fromEntries(named),
    '/sitemap.xml': indexOf([...urls.slice(0, half), `${origin}/nested.xml`]),
    '/nested.xml': indexOf(urls.slice(half)),
  };
}

it('finds the URLs that sitemapper finds in generated sitemap trees', async () => {
  const client = clientIn(servers);
  await fc.assert(
    fc.asyncProperty(FILES, async (files) => {
      const { origin } = servers.site;
      served = siteWith(origin, files);
      const { rows } = await client.map();
      const { sites } = await new Sitemapper({ url: `${origin}/sitemap.xml`, timeout: 10_000, concurrency: 4 }).fetch();
      const found = new Set(rows.map(({ url }) => url));
      expect(found).toEqual(new Set(sites));
      expect(found).toEqual(new Set(files.flatMap(({ paths }) => paths.map((path) => origin + path))));
    }),
    { numRuns: 25 },
  );
});
