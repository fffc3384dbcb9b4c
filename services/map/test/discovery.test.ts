import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ListEntriesRequest } from '@tidemark/contracts/map/v1/map';
import { newWorkspace } from '@tidemark/testkit';
import {
  clientIn,
  indexOf,
  type MapServers,
  newKey,
  type SiteFiles,
  siteOf,
  startMapServers,
  urlset,
} from './map-servers.ts';

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

describe('snapshot', () => {
  it('contains robots.txt, and each file with its section, number of URLs and dates', async () => {
    siteFiles = {
      '/robots.txt': `User-agent: *\nCrawl-delay: 0\nSitemap: ${at('/s.xml')}`,
      '/s.xml': urlset(servers.site.origin, ['/blog/1', '/blog/2'], '2026-01-01'),
    };
    const client = clientIn(servers);
    const { job } = await client.map();
    const { snapshot, diff, kept } = await client.discovery(at('/any'));
    expect(snapshot).toMatchObject({ id: job?.id, complete: true, robots: { found: true, sitemaps: [at('/s.xml')] } });
    expect(snapshot?.files).toMatchObject([
      { section: '/blog/', urls: 2, lastmodFrom: '2026-01-01T00:00:00.000Z', verdict: 'read', kind: 'sitemap' },
    ]);
    expect(snapshot?.totals).toEqual({ files: 1, urls: 2, indexes: 0, blocked: 0 });
    expect([diff, kept.map(({ id }) => id)]).toEqual([undefined, [job?.id]]);
  });

  it('is compared only with snapshots of the same project, or of the same site if it has no project', async () => {
    const client = clientIn(servers);
    const of = async (names: readonly string[], projectId: string) => {
      siteFiles = { '/sitemap.xml': urlset(servers.site.origin, names) };
      return (await client.map({}, { projectId })).job?.id ?? '';
    };
    const [first] = [await of(['/1'], 'prj_a'), await of(['/1', '/2'], 'prj_b'), await of(['/1', '/2', '/3'], '')];
    const second = await of(['/1', '/2', '/3', '/4'], 'prj_a');
    expect(await client.discovery(at('/'), '', 'prj_a')).toMatchObject({
      snapshot: { id: second },
      diff: { beforeId: first, added: 3 },
    });
    expect((await client.discovery(at('/'), '', 'prj_b')).diff).toBeUndefined();
    expect(await client.discovery(at('/'))).toMatchObject({ snapshot: { totals: { urls: 3 } }, diff: undefined });
    expect((await client.discovery(at('/'), second, 'prj_b')).snapshot).toBeUndefined();
    expect((await client.discovery(at('/'), first, 'prj_a')).diff).toBeUndefined();
  });

  it('is not created by the map of a crawl without a project', async () => {
    siteFiles = { '/sitemap.xml': urlset(servers.site.origin, ['/1']) };
    const client = clientIn(servers);
    await client.map({ forCrawl: true });
    expect((await client.discovery(at('/'))).snapshot).toBeUndefined();
  });

  it('is not visible to other workspaces, nor are its entries and changes', async () => {
    siteFiles = { '/sitemap.xml': urlset(servers.site.origin, ['/1']) };
    const { job } = await clientIn(servers).map({}, { projectId: 'prj_mine' });
    const other = clientIn(servers, newWorkspace());
    const selector = { snapshotId: job?.id ?? '', projectId: 'prj_mine' };
    expect((await other.discovery(at('/'), selector.snapshotId, 'prj_mine')).snapshot).toBeUndefined();
    await expect(other.entries('', selector)).rejects.toMatchObject({ code: 'not_found' });
    await expect(other.entries('', { ...selector, set: 'added' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('API key restricted to projects', () => {
  it('receives not_found for maps, snapshots and entries of other projects and cannot start maps for them', async () => {
    siteFiles = { '/sitemap.xml': urlset(servers.site.origin, ['/1']) };
    const client = clientIn(servers);
    const mapOf = async (projectId: string) => (await client.map({}, { projectId })).job?.id ?? '';
    const [hidden, own, withoutProject] = [await mapOf('prj_hidden'), await mapOf('prj_own'), await mapOf('')];
    const restricted = clientIn(servers, client.workspaceId, ['prj_own', 'prj_else']);
    for (const refused of [
      restricted.job(hidden),
      restricted.files(hidden),
      restricted.rows(hidden, 0, 10),
      restricted.discovery(at('/'), '', 'prj_hidden'),
      restricted.entries('', { projectId: 'prj_hidden' }),
      restricted.entries('', { snapshotId: hidden }),
      restricted.map({}, { projectId: 'prj_hidden' }),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'not_found' });
    expect((await restricted.discovery(at('/'), hidden, 'prj_own')).snapshot).toBeUndefined();
    for (const [id, projectId] of [
      [own, 'prj_own'],
      [withoutProject, ''],
    ] as const) {
      expect(await restricted.job(id)).toMatchObject({ id });
      expect(await restricted.rows(id, 0, 10)).toHaveLength(1);
      expect((await restricted.discovery(at('/'), '', projectId)).snapshot).toMatchObject({ id });
      expect((await restricted.entries('', { projectId })).total).toBe(1);
    }
  });
});

describe('concurrent maps of one project', () => {
  it('share one job that is charged once across two replicas, except for the map of a crawl', async () => {
    const gate = Promise.withResolvers<void>();
    siteFiles = {
      '/sitemap.xml': (_, response) =>
        void gate.promise.then(() => response.end(urlset(servers.site.origin, ['/1', '/2']))),
    };
    const client = clientIn(servers);
    const second = clientIn({ ...servers, service: await servers.replica() }, client.workspaceId);
    const projectId = 'prj_once';
    const key = { idempotencyKey: newKey(), requestHash: 'h' };
    const started = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 === 0 ? client : second).map({}, { projectId, waitMs: 0, ...(i === 5 ? key : {}) }),
      ),
    );
    const ids = new Set(started.map(({ job }) => job?.id));
    expect(ids.size).toBe(1);
    const [id = ''] = ids;
    const waiting = second.map({}, { projectId });
    const ofCrawl = await client.map({ forCrawl: true }, { projectId, waitMs: 0 });
    expect(ofCrawl.job?.id).not.toBe(id);
    const other = await client.map({}, { projectId: 'prj_other', waitMs: 0 });
    expect(other.job?.id).not.toBe(id);
    gate.resolve();
    expect(await waiting).toMatchObject({ job: { id, status: 'done' }, rows: [{}, {}] });
    expect(await client.ended(id)).toMatchObject({ status: 'done', creditsUsed: 1 });
    await client.ended(other.job?.id ?? '');
    await client.ended(ofCrawl.job?.id ?? '');
    expect(await client.spent()).toEqual({ credits: 2 });
    expect(await client.map({}, { projectId, ...key })).toMatchObject({ job: { id }, replayed: true });
    expect((await client.map({}, { projectId })).job?.id).not.toBe(id);
  });
});

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
    await expect(client.entries('', { set: 'moved' })).rejects.toMatchObject({ code: 'validation' });
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
  }, 60_000);

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
