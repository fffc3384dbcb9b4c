import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ListEntriesRequest } from '@tidemark/contracts/map/v1/map';
import { newWorkspace } from '@tidemark/testkit';
import { type Answers, clientIn, indexOf, type MapGround, newKey, openMap, siteOf, urlset } from './map-ground.ts';

let answers: Answers = {};
let ground: MapGround;
beforeAll(async () => {
  ground = await openMap(
    siteOf(() => answers),
    siteOf(() => ({})),
  );
}, 120_000);
afterAll(() => ground.close());
beforeEach(() => {
  answers = {};
});
const at = (path: string) => `${ground.site.origin}${path}`;
const paths = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `/${name}/${String(from + i).padStart(5, '0')}`);
type Client = ReturnType<typeof clientIn>;

/** Reads a list page by page, every page under the snapshot the first was answered with. */
async function everyPage(client: Client, file: string, more: Partial<ListEntriesRequest>): Promise<string[]> {
  const seen: string[] = [];
  let snapshotId = more.snapshotId ?? '';
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await client.entries(file, { ...more, snapshotId, after });
    snapshotId = page.snapshotId;
    seen.push(...page.entries.map(({ url }) => url));
    after = page.next;
  }
  return seen;
}

describe('a snapshot', () => {
  it('is the tree whole: robots, each file with its section, count and dates, and feeds', async () => {
    answers = {
      '/robots.txt': `User-agent: *\nCrawl-delay: 0\nSitemap: ${at('/s.xml')}`,
      '/s.xml': urlset(ground.site.origin, ['/blog/1', '/blog/2'], '2026-01-01'),
    };
    const client = clientIn(ground);
    const { job } = await client.map();
    const { snapshot, diff, kept } = await client.discovery(at('/any'));
    expect(snapshot).toMatchObject({ id: job?.id, complete: true, robots: { found: true, sitemaps: [at('/s.xml')] } });
    expect(snapshot?.files).toMatchObject([
      { section: '/blog/', urls: 2, lastmodFrom: '2026-01-01T00:00:00.000Z', verdict: 'read', kind: 'sitemap' },
    ]);
    expect(snapshot?.totals).toEqual({ files: 1, urls: 2, indexes: 0, blocked: 0 });
    expect([diff, kept.map(({ id }) => id)]).toEqual([undefined, [job?.id]]);
  });

  it('of a project is compared with that project’s alone, and one of a site with the site’s', async () => {
    const client = clientIn(ground);
    const of = async (names: readonly string[], projectId: string) => {
      answers = { '/sitemap.xml': urlset(ground.site.origin, names) };
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

  it('is not made by what a crawl reads for itself', async () => {
    answers = { '/sitemap.xml': urlset(ground.site.origin, ['/1']) };
    const client = clientIn(ground);
    await client.map({ forCrawl: true });
    expect((await client.discovery(at('/'))).snapshot).toBeUndefined();
  });

  it('is nobody else’s: neither it nor its entries nor its changes', async () => {
    answers = { '/sitemap.xml': urlset(ground.site.origin, ['/1']) };
    const { job } = await clientIn(ground).map({}, { projectId: 'prj_mine' });
    const stranger = clientIn(ground, newWorkspace());
    const theirs = { snapshotId: job?.id ?? '', projectId: 'prj_mine' };
    expect((await stranger.discovery(at('/'), theirs.snapshotId, 'prj_mine')).snapshot).toBeUndefined();
    await expect(stranger.entries('', theirs)).rejects.toMatchObject({ code: 'not_found' });
    await expect(stranger.entries('', { ...theirs, set: 'added' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a key that is restricted to some projects', () => {
  it('sees the maps, snapshots and entries of others as not there, and starts none for them', async () => {
    answers = { '/sitemap.xml': urlset(ground.site.origin, ['/1']) };
    const client = clientIn(ground);
    const mapOf = async (projectId: string) => (await client.map({}, { projectId })).job?.id ?? '';
    const [hidden, own, nobodys] = [await mapOf('prj_hidden'), await mapOf('prj_own'), await mapOf('')];
    const restricted = clientIn(ground, client.workspaceId, ['prj_own', 'prj_else']);
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
      [nobodys, ''],
    ] as const) {
      expect(await restricted.job(id)).toMatchObject({ id });
      expect(await restricted.rows(id, 0, 10)).toHaveLength(1);
      expect((await restricted.discovery(at('/'), '', projectId)).snapshot).toMatchObject({ id });
      expect((await restricted.entries('', { projectId })).total).toBe(1);
    }
  });
});

describe('maps of one project that are asked for at the same moment', () => {
  it('are one, read and charged once, at two replicas, with a key or without; a crawl’s own is beside it', async () => {
    const gate = Promise.withResolvers<void>();
    answers = {
      '/sitemap.xml': (_, response) =>
        void gate.promise.then(() => response.end(urlset(ground.site.origin, ['/1', '/2']))),
    };
    const client = clientIn(ground);
    const second = clientIn({ ...ground, service: await ground.replica() }, client.workspaceId);
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
    const whoWaits = second.map({}, { projectId });
    const ofCrawl = await client.map({ forCrawl: true }, { projectId, waitMs: 0 });
    expect(ofCrawl.job?.id).not.toBe(id);
    const other = await client.map({}, { projectId: 'prj_other', waitMs: 0 });
    expect(other.job?.id).not.toBe(id);
    gate.resolve();
    expect(await whoWaits).toMatchObject({ job: { id, status: 'done' }, rows: [{}, {}] });
    expect(await client.ended(id)).toMatchObject({ status: 'done', creditsUsed: 1 });
    await client.ended(other.job?.id ?? '');
    await client.ended(ofCrawl.job?.id ?? '');
    expect(await client.spent()).toEqual({ credits: 2 });
    expect(await client.map({}, { projectId, ...key })).toMatchObject({ job: { id }, replayed: true });
    expect((await client.map({}, { projectId })).job?.id).not.toBe(id);
  });
});

describe('the entries of a snapshot', () => {
  const ofTwoFiles = () => ({
    '/sitemap.xml': indexOf([at('/a.xml'), at('/b.xml')]),
    '/a.xml': urlset(ground.site.origin, [...paths('docs/api', 0, 30), ...paths('blog', 0, 12), '/'], '2026-01-01'),
    '/b.xml': urlset(ground.site.origin, [...paths('blog', 6, 20)]),
  });

  it('are listed whole, of one file or of the tree, each once, and neither skipped nor repeated however they are paged', async () => {
    answers = ofTwoFiles();
    const client = clientIn(ground);
    await client.map();
    const whole = [...new Set([...paths('blog', 0, 20), ...paths('docs/api', 0, 30), '/'])].map(at).sort();
    for (const limit of [1, 7, 51, 1_000]) expect((await everyPage(client, '', { limit })).sort()).toEqual(whole);
    const file = await everyPage(client, at('/b.xml'), { limit: 5 });
    expect(file).toEqual(paths('blog', 6, 20).map(at));
  });

  it('are found by the beginning of their path and by text, with the folders below', async () => {
    answers = ofTwoFiles();
    const client = clientIn(ground);
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

  it('are those of one snapshot from the first page to the last, whatever is mapped meanwhile', async () => {
    answers = { '/sitemap.xml': urlset(ground.site.origin, paths('old', 0, 10)) };
    const client = clientIn(ground);
    await client.map();
    const first = await client.entries('', { limit: 4 });
    answers = { '/sitemap.xml': urlset(ground.site.origin, paths('new', 0, 10)) };
    await client.map();
    const rest = await client.entries('', { limit: 100, after: first.next ?? 0, snapshotId: first.snapshotId });
    expect([...first.entries, ...rest.entries].map(({ url }) => url)).toEqual(paths('old', 0, 10).map(at));
  });
});

describe('the changes between two snapshots', () => {
  it('are counted whole, told in samples, and paged through set by set without a gap', async () => {
    const client = clientIn(ground);
    const files = (older: string[], newer: string[], date: string) => ({
      '/sitemap.xml': indexOf([at('/a.xml'), at('/b.xml')]),
      '/a.xml': urlset(ground.site.origin, older, date),
      '/b.xml': urlset(ground.site.origin, newer, '2026-01-01'),
    });
    answers = files(paths('p', 0, 3_000), paths('gone', 0, 6_000), '2026-01-01');
    const first = await client.map();
    answers = files(paths('p', 0, 3_000), paths('came', 0, 11_000), '2026-03-01');
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

  it('are the same for everybody who asks at once, at two replicas', async () => {
    const client = clientIn(ground);
    answers = { '/sitemap.xml': urlset(ground.site.origin, paths('x', 0, 100)) };
    await client.map();
    answers = { '/sitemap.xml': urlset(ground.site.origin, paths('x', 50, 160)) };
    await client.map();
    const replica = await ground.replica();
    const answersOfAll = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        i % 2 === 0
          ? client.discovery(at('/'))
          : clientIn({ ...ground, service: replica }, client.workspaceId).discovery(at('/')),
      ),
    );
    for (const { diff } of answersOfAll) expect(diff).toMatchObject({ added: 60, removed: 50, updated: 0 });
  });
});
