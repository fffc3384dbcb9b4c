import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newWorkspace } from '@tidemark/testkit';
import { clientIn, type MapServers, newKey, type SiteFiles, siteOf, startMapServers, urlset } from './map-servers.ts';

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
    // Later requests of the same instance: when they have been answered, the waiting one has found the job.
    for (let at = 0; at < 5; at += 1) expect((await second.map({}, { projectId, waitMs: 0 })).job?.id).toBe(id);
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
