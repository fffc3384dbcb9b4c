import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { clientIn, indexOf, type MapServers, type SiteFiles, siteOf, startMapServers, urlset } from './map-servers.ts';

let siteFiles: SiteFiles = {};
let otherFiles: SiteFiles = {};
let servers: MapServers;
const at = (path: string) => `${servers.site.origin}${path}`;
beforeAll(async () => {
  servers = await startMapServers(
    siteOf(() => siteFiles),
    siteOf(() => otherFiles),
  );
}, 120_000);
beforeEach(() => {
  siteFiles = {};
  otherFiles = {};
});
afterAll(() => servers.close());

describe('map', () => {
  it('follows an index to every file, compressed or not, and returns each URL once in tree order', async () => {
    siteFiles = {
      '/robots.txt': `User-agent: *\nSitemap: ${at('/index.xml')}\n`,
      '/index.xml': indexOf([at('/a.xml'), at('/nested.xml'), at('/gone.xml'), at('/secret.xml')]),
      '/a.xml': urlset(servers.site.origin, ['/blog/1', '/blog/2'], '2026-01-05'),
      '/nested.xml': indexOf([at('/b.xml'), at('/index.xml')]),
      '/b.xml': gzipSync(urlset(servers.site.origin, ['/blog/2#again', '/shop/3?x=1&amp;y=2'])),
      '/secret.xml': 403,
    };
    const client = clientIn(servers);
    const { job, rows, files } = await client.map();
    expect(job).toMatchObject({ status: 'done', method: 'sitemap', creditsUsed: 4, error: undefined, stop: undefined });
    expect(job?.totals).toEqual({ files: 4, urls: 3, indexes: 2, blocked: 1 });
    expect(job?.robots).toMatchObject({ status: 200, found: true, allowed: true, sitemaps: [at('/index.xml')] });
    expect(rows).toEqual([
      {
        url: at('/blog/1'),
        lastmod: '2026-01-05',
        changefreq: '',
        source: 'sitemap',
        file: at('/a.xml'),
        section: '/blog/',
      },
      {
        url: at('/blog/2'),
        lastmod: '2026-01-05',
        changefreq: '',
        source: 'sitemap',
        file: at('/a.xml'),
        section: '/blog/',
      },
      { url: at('/shop/3?x=1&y=2'), lastmod: '', changefreq: '', source: 'sitemap', file: at('/b.xml'), section: 'b' },
    ]);
    expect(files.map(({ url, verdict, httpStatus }) => [new URL(url).pathname, verdict, httpStatus])).toEqual([
      ['/index.xml', 'read', 200],
      ['/a.xml', 'read', 200],
      ['/nested.xml', 'read', 200],
      ['/gone.xml', 'missing', 404],
      ['/secret.xml', 'blocked', 403],
      ['/b.xml', 'read', 200],
    ]);
    expect(await client.spent()).toEqual({ credits: 4 });
  });

  it('finds a sitemap at a well-known path and stops at the first path that has one', async () => {
    siteFiles = { '/sitemap_index.xml': indexOf([at('/p.xml')]), '/p.xml': urlset(servers.site.origin, ['/one']) };
    const { job, rows, files } = await clientIn(servers).map();
    expect(job).toMatchObject({ method: 'sitemap', creditsUsed: 2, robots: { found: false, status: 404 } });
    expect(rows.map(({ url }) => url)).toEqual([at('/one')]);
    expect(files).toHaveLength(2);
    expect(servers.site.requestCount('/sitemap.txt')).toBe(0);
  });

  it('reads the feeds of the front page if there is no sitemap', async () => {
    siteFiles = {
      '/': '<link rel="alternate" type="application/rss+xml" href="/feed"><a href="/x">x</a>',
      '/feed': `<rss><channel><link>/</link><item><link>${at('/post')}</link><pubDate>Mon, 05 Jan 2026 09:00:00 GMT</pubDate></item></channel></rss>`,
    };
    const { job, rows } = await clientIn(servers).map();
    expect(job).toMatchObject({ method: 'feed', creditsUsed: 1, totals: { files: 1, urls: 1 } });
    expect(rows).toMatchObject([{ url: at('/post'), lastmod: '2026-01-05T09:00:00.000Z', source: 'feed' }]);
  });

  it('falls back to the links of the front page, free of charge', async () => {
    siteFiles = {
      '/': '<a href="/a">a</a><a href="/a#b">a</a><a href="https://elsewhere.example/">e</a><a href="mailto:x@y.z">',
    };
    const client = clientIn(servers);
    const { job, rows } = await client.map();
    expect(job).toMatchObject({
      method: 'links',
      creditsUsed: 0,
      totals: { files: 0, urls: 1, indexes: 0, blocked: 0 },
    });
    expect(rows).toEqual([{ url: at('/a'), lastmod: '', changefreq: '', source: 'link', file: at('/'), section: '/' }]);
    expect(await client.spent()).toEqual({ credits: 0 });
  });

  it('reads only sitemaps in mode `only` and no sitemaps in mode `skip`', async () => {
    siteFiles = { '/': '<a href="/a">a</a>', '/sitemap.xml': urlset(servers.site.origin, ['/s']) };
    const client = clientIn(servers);
    expect((await client.map({ sitemapMode: 'skip' })).rows.map(({ source }) => source)).toEqual(['link']);
    expect((await client.map({ sitemapMode: 'only' })).rows.map(({ source }) => source)).toEqual(['sitemap']);
    siteFiles = { '/': '<a href="/a">a</a>' };
    expect((await client.map({ sitemapMode: 'only' })).job).toMatchObject({ method: 'none', totals: { urls: 0 } });
  });

  it('filters by `search` ignoring case, stores at most `limit` rows, and counts all URLs', async () => {
    siteFiles = { '/sitemap.xml': urlset(servers.site.origin, ['/Blog/1', '/blog/2', '/shop/3', '/blog/4']) };
    const { job, rows } = await clientIn(servers).map({ search: 'bLoG', limit: 2 });
    expect(rows.map(({ url }) => url)).toEqual([at('/Blog/1'), at('/blog/2')]);
    expect(job).toMatchObject({ totals: { urls: 4 }, rows: 2 });
  });

  it('leaves out URLs of other hosts and reads a file of another host only if robots.txt names it', async () => {
    siteFiles = {
      '/robots.txt': `Sitemap: ${servers.other.origin}/cross.xml`,
      '/sitemap.xml': urlset('', []),
    };
    otherFiles = {
      '/cross.xml': `<urlset><url><loc>${at('/mine')}</loc></url><url><loc>https://example.org/</loc></url></urlset>`,
    };
    const crossed = await clientIn(servers).map();
    expect(crossed.rows.map(({ url }) => url)).toEqual([at('/mine')]);
    expect(crossed.files).toMatchObject([{ foreign: 1, error: expect.stringContaining('other hosts') }]);

    siteFiles = { '/sitemap.xml': indexOf([`${servers.other.origin}/cross.xml`]) };
    const refused = await clientIn(servers).map({ sitemapMode: 'only' });
    expect(refused.rows).toEqual([]);
    expect(refused.files).toMatchObject([
      { verdict: 'read' },
      { verdict: 'skipped', error: expect.stringContaining('another host') },
    ]);
  });

  it('keeps the readable entries of a damaged file and reports its error', async () => {
    const packed = gzipSync(
      urlset(
        servers.site.origin,
        Array.from({ length: 2_000 }, (_, i) => `/${Math.sin(i)}`),
      ),
    );
    siteFiles = {
      '/robots.txt': ['/cut.xml', '/amp.xml', '/wall.xml', '/torn.xml.gz']
        .map((path) => `Sitemap: ${at(path)}`)
        .join('\n'),
      '/cut.xml': `<urlset><url><loc>${at('/c')}</loc></url><url><loc>${at('/lost')}`,
      '/amp.xml': `<urlset><url><loc>${at('/q?a=1&b=2')}</loc></url></urlset>`,
      '/wall.xml': '<!DOCTYPE html><html><body>Please log in</body></html>',
      '/torn.xml.gz': packed.subarray(0, packed.length - 2_000),
    };
    const { job, rows, files } = await clientIn(servers).map();
    expect(files.map(({ verdict }) => verdict)).toEqual(['partial', 'partial', 'blocked', 'partial']);
    expect(files.map(({ error }) => error)).toEqual([
      expect.stringContaining('not well-formed XML after character'),
      expect.stringContaining('not well-formed XML after character'),
      expect.stringContaining('the site answers with an HTML page'),
      expect.stringContaining('gzip data is damaged or incomplete'),
    ]);
    expect(rows.map(({ url }) => url)).toEqual(expect.arrayContaining([at('/c'), at('/q?a=1&b=2')]));
    expect(rows.length).toBeGreaterThan(100);
    expect(job).toMatchObject({ creditsUsed: 3, totals: { blocked: 1, files: 3 } });
  });

  it('ends with status error and stop site_down if robots.txt answers 503 or the site is unreachable', async () => {
    siteFiles = { '/robots.txt': 503, '/sitemap.xml': urlset(servers.site.origin, ['/x']) };
    const closed = await clientIn(servers).map();
    expect(closed.job).toMatchObject({
      status: 'error',
      stop: 'site_down',
      creditsUsed: 0,
      robots: { allowed: false },
    });
    expect(closed.job?.error).toContain('503');
    expect(servers.site.requestCount('/never')).toBe(0);

    siteFiles = { '/robots.txt': (request) => request.socket.destroy() };
    expect((await clientIn(servers).map()).job).toMatchObject({
      status: 'error',
      stop: 'site_down',
      method: 'none',
    });
  });

  it.each([
    ['refused', { '/': 403, '/sitemap.xml': 403 }],
    ['robots', { '/robots.txt': 'User-agent: *\nDisallow: /' }],
    ['site_down', { '/': 500 }],
  ] as const)('ends with status error and stop %s if nothing of the site can be read', async (stop, files) => {
    siteFiles = files;
    const { job } = await clientIn(servers).map();
    expect(job).toMatchObject({ status: 'error', stop: stop, creditsUsed: 0, method: 'none' });
    expect(job?.error).not.toBe('');
  });

  it('ends as done if the site has nothing to read', async () => {
    siteFiles = {};
    expect((await clientIn(servers).map()).job).toMatchObject({ status: 'done', stop: undefined, method: 'none' });
  });

  it('waits for the time of Retry-After before it requests a file again', async () => {
    let requests = 0;
    siteFiles = {
      '/sitemap.xml': (_, response) => {
        requests += 1;
        if (requests === 1) response.writeHead(429, { 'retry-after': '1' }).end();
        else response.end(urlset(servers.site.origin, ['/patient']));
      },
    };
    expect((await clientIn(servers).map()).rows.map(({ url }) => url)).toEqual([at('/patient')]);
  });

  it('stops with credit_limit when the workspace has no credits for further files', async () => {
    const names = Array.from({ length: 5 }, (_, i) => `/part-${i}.xml`);
    siteFiles = {
      '/sitemap.xml': indexOf(names.map(at)),
      ...Object.fromEntries(names.map((name) => [name, urlset(servers.site.origin, [`${name}/page`])])),
    };
    const client = clientIn(servers);
    servers.billing.setBalance(client.workspaceId, 3);
    const { job, files } = await client.map();
    expect(job).toMatchObject({ status: 'done', stop: 'credit_limit', creditsUsed: 3 });
    expect(files.filter(({ verdict }) => verdict === 'skipped').length).toBe(3);
    expect(await client.spent()).toEqual({ credits: 3 });
    servers.billing.setBalance(client.workspaceId, 0);
    await expect(client.map()).rejects.toMatchObject({ code: 'credits_exhausted' });
  });

  it('refuses a URL that is not on the public web', async () => {
    const request = { url: 'http://169.254.169.254/' };
    await expect(clientIn(servers).map({}, request)).rejects.toMatchObject({ code: 'validation' });
  });
});
