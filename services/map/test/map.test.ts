import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Answers, clientIn, indexOf, type MapGround, openMap, siteOf, urlset } from './map-ground.ts';

let answers: Answers = {};
let others: Answers = {};
let ground: MapGround;
const at = (path: string) => `${ground.site.origin}${path}`;
beforeAll(async () => {
  ground = await openMap(
    siteOf(() => answers),
    siteOf(() => others),
  );
}, 120_000);
beforeEach(() => {
  answers = {};
  others = {};
});
afterAll(() => ground.close());

describe('a map', () => {
  it('follows an index to every file, packed or not, and tells each address once, in the order of the tree', async () => {
    answers = {
      '/robots.txt': `User-agent: *\nSitemap: ${at('/index.xml')}\n`,
      '/index.xml': indexOf([at('/a.xml'), at('/nested.xml'), at('/gone.xml'), at('/secret.xml')]),
      '/a.xml': urlset(ground.site.origin, ['/blog/1', '/blog/2'], '2026-01-05'),
      '/nested.xml': indexOf([at('/b.xml'), at('/index.xml')]),
      '/b.xml': gzipSync(urlset(ground.site.origin, ['/blog/2#again', '/shop/3?x=1&amp;y=2'])),
      '/secret.xml': 403,
    };
    const client = clientIn(ground);
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

  it('finds a sitemap where nobody names it, and stops at the first place that has one', async () => {
    answers = { '/sitemap_index.xml': indexOf([at('/p.xml')]), '/p.xml': urlset(ground.site.origin, ['/one']) };
    const { job, rows, files } = await clientIn(ground).map();
    expect(job).toMatchObject({ method: 'sitemap', creditsUsed: 2, robots: { found: false, status: 404 } });
    expect(rows.map(({ url }) => url)).toEqual([at('/one')]);
    expect(files).toHaveLength(2);
    expect(ground.site.timesAsked('/sitemap.txt')).toBe(0);
  });

  it('reads the feeds of the front page where there is no sitemap', async () => {
    answers = {
      '/': '<link rel="alternate" type="application/rss+xml" href="/feed"><a href="/x">x</a>',
      '/feed': `<rss><channel><link>/</link><item><link>${at('/post')}</link><pubDate>Mon, 05 Jan 2026 09:00:00 GMT</pubDate></item></channel></rss>`,
    };
    const { job, rows } = await clientIn(ground).map();
    expect(job).toMatchObject({ method: 'feed', creditsUsed: 1, totals: { files: 1, urls: 1 } });
    expect(rows).toMatchObject([{ url: at('/post'), lastmod: '2026-01-05T09:00:00.000Z', source: 'feed' }]);
  });

  it('falls back to the links of the front page, which cost nothing', async () => {
    answers = {
      '/': '<a href="/a">a</a><a href="/a#b">a</a><a href="https://elsewhere.example/">e</a><a href="mailto:x@y.z">',
    };
    const client = clientIn(ground);
    const { job, rows } = await client.map();
    expect(job).toMatchObject({
      method: 'links',
      creditsUsed: 0,
      totals: { files: 0, urls: 1, indexes: 0, blocked: 0 },
    });
    expect(rows).toEqual([{ url: at('/a'), lastmod: '', changefreq: '', source: 'link', file: at('/'), section: '/' }]);
    expect(await client.spent()).toEqual({ credits: 0 });
  });

  it('keeps to the mode it is asked for: only sitemaps, or none of them', async () => {
    answers = { '/': '<a href="/a">a</a>', '/sitemap.xml': urlset(ground.site.origin, ['/s']) };
    const client = clientIn(ground);
    expect((await client.map({ sitemapMode: 'skip' })).rows.map(({ source }) => source)).toEqual(['link']);
    expect((await client.map({ sitemapMode: 'only' })).rows.map(({ source }) => source)).toEqual(['sitemap']);
    answers = { '/': '<a href="/a">a</a>' };
    expect((await client.map({ sitemapMode: 'only' })).job).toMatchObject({ method: 'none', totals: { urls: 0 } });
  });

  it('filters by `search` whatever the case, keeps as many as `limit` says, and counts all', async () => {
    answers = { '/sitemap.xml': urlset(ground.site.origin, ['/Blog/1', '/blog/2', '/shop/3', '/blog/4']) };
    const { job, rows } = await clientIn(ground).map({ search: 'bLoG', limit: 2 });
    expect(rows.map(({ url }) => url)).toEqual([at('/Blog/1'), at('/blog/2')]);
    expect(job).toMatchObject({ totals: { urls: 4 }, rows: 2 });
  });

  it('leaves out what belongs to other hosts, and reads a file of another host only where robots.txt names it', async () => {
    answers = {
      '/robots.txt': `Sitemap: ${ground.other.origin}/cross.xml`,
      '/sitemap.xml': urlset('', []),
    };
    others = {
      '/cross.xml': `<urlset><url><loc>${at('/mine')}</loc></url><url><loc>https://example.org/</loc></url></urlset>`,
    };
    const crossed = await clientIn(ground).map();
    expect(crossed.rows.map(({ url }) => url)).toEqual([at('/mine')]);
    expect(crossed.files).toMatchObject([{ foreign: 1, error: expect.stringContaining('other hosts') }]);

    answers = { '/sitemap.xml': indexOf([`${ground.other.origin}/cross.xml`]) };
    const refused = await clientIn(ground).map({ sitemapMode: 'only' });
    expect(refused.rows).toEqual([]);
    expect(refused.files).toMatchObject([
      { verdict: 'read' },
      { verdict: 'skipped', error: expect.stringContaining('another host') },
    ]);
  });

  it('keeps what can be read of a damaged file and says what is wrong with it', async () => {
    const packed = gzipSync(
      urlset(
        ground.site.origin,
        Array.from({ length: 2_000 }, (_, i) => `/${Math.sin(i)}`),
      ),
    );
    answers = {
      '/robots.txt': ['/cut.xml', '/amp.xml', '/wall.xml', '/torn.xml.gz']
        .map((path) => `Sitemap: ${at(path)}`)
        .join('\n'),
      '/cut.xml': `<urlset><url><loc>${at('/c')}</loc></url><url><loc>${at('/lost')}`,
      '/amp.xml': `<urlset><url><loc>${at('/q?a=1&b=2')}</loc></url></urlset>`,
      '/wall.xml': '<!DOCTYPE html><html><body>Please log in</body></html>',
      '/torn.xml.gz': packed.subarray(0, packed.length - 2_000),
    };
    const { job, rows, files } = await clientIn(ground).map();
    expect(files.map(({ verdict }) => verdict)).toEqual(['partial', 'partial', 'blocked', 'partial']);
    expect(files.map(({ error }) => error)).toEqual([
      expect.stringContaining('not well-formed XML after character'),
      expect.stringContaining('not well-formed XML after character'),
      expect.stringContaining('a page is answered in its place'),
      expect.stringContaining('gzip data is damaged or incomplete'),
    ]);
    expect(rows.map(({ url }) => url)).toEqual(expect.arrayContaining([at('/c'), at('/q?a=1&b=2')]));
    expect(rows.length).toBeGreaterThan(100);
    expect(job).toMatchObject({ creditsUsed: 3, totals: { blocked: 1, files: 3 } });
  });

  it('is done and says why where robots.txt closes the site, or nobody is there', async () => {
    answers = { '/robots.txt': 503, '/sitemap.xml': urlset(ground.site.origin, ['/x']) };
    const closed = await clientIn(ground).map();
    expect(closed.job).toMatchObject({ status: 'done', stop: 'site_down', creditsUsed: 0, robots: { allowed: false } });
    expect(closed.job?.error).toContain('503');
    expect(ground.site.timesAsked('/never')).toBe(0);

    answers = { '/robots.txt': (request) => request.socket.destroy() };
    expect((await clientIn(ground).map()).job).toMatchObject({ status: 'done', stop: 'site_down', method: 'none' });
  });

  it('waits as long as the site asks for before it comes again', async () => {
    let asked = 0;
    answers = {
      '/sitemap.xml': (_, response) => {
        asked += 1;
        if (asked === 1) response.writeHead(429, { 'retry-after': '1' }).end();
        else response.end(urlset(ground.site.origin, ['/patient']));
      },
    };
    expect((await clientIn(ground).map()).rows.map(({ url }) => url)).toEqual([at('/patient')]);
  });

  it('reads no more files than the workspace has credits for, and says so', async () => {
    const names = Array.from({ length: 5 }, (_, i) => `/part-${i}.xml`);
    answers = {
      '/sitemap.xml': indexOf(names.map(at)),
      ...Object.fromEntries(names.map((name) => [name, urlset(ground.site.origin, [`${name}/page`])])),
    };
    const client = clientIn(ground);
    ground.billing.setBalance(client.workspaceId, 3);
    const { job, files } = await client.map();
    expect(job).toMatchObject({ status: 'done', stop: 'credit_limit', creditsUsed: 3 });
    expect(files.filter(({ verdict }) => verdict === 'skipped').length).toBe(3);
    expect(await client.spent()).toEqual({ credits: 3 });
    ground.billing.setBalance(client.workspaceId, 0);
    await expect(client.map()).rejects.toMatchObject({ code: 'credits_exhausted' });
  });

  it('refuses an address that is not on the public web', async () => {
    const asked = { url: 'http://169.254.169.254/' };
    await expect(clientIn(ground).map({}, asked)).rejects.toMatchObject({ code: 'validation' });
  });
});

describe('a stored tree', () => {
  it('tells what was added, removed and changed since the one before', async () => {
    const client = clientIn(ground);
    answers = {
      '/sitemap.xml': indexOf([at('/a.xml'), at('/b.xml')]),
      '/a.xml': urlset(ground.site.origin, ['/a/1', '/a/2'], '2026-01-01'),
      '/b.xml': urlset(ground.site.origin, ['/b/1'], '2026-01-01'),
    };
    expect((await client.discovery(at('/'))).snapshot).toBeUndefined();
    const first = await client.map();
    expect(await client.discovery(at('/'))).toMatchObject({
      snapshot: { id: first.job?.id, complete: true },
      diff: undefined,
    });
    answers = {
      '/sitemap.xml': indexOf([at('/a.xml'), at('/c.xml')]),
      '/a.xml': urlset(ground.site.origin, ['/a/2', '/a/3'], '2026-02-01'),
      '/c.xml': urlset(ground.site.origin, ['/b/1'], '2026-01-01'),
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

  it('is another’s for nobody', async () => {
    answers = { '/sitemap.xml': urlset(ground.site.origin, ['/x']) };
    const { job } = await clientIn(ground).map();
    const stranger = clientIn(ground);
    await expect(stranger.job(job?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    await expect(stranger.rows(job?.id ?? '', 0, 10)).rejects.toMatchObject({ code: 'not_found' });
    expect((await stranger.discovery(at('/'))).snapshot).toBeUndefined();
  });
});
