import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { USUAL } from './options.ts';
import { type Crawled, crawlPlainly } from './plain-crawler.ts';
import { TestSite } from './site.ts';
import type { SiteTruth, TrueChange } from './truth.ts';

const OPTIONS = { ...USUAL, pages: 150, rate: 1_000, slowMs: 0 };

interface Running {
  readonly base: string;
  readonly site: TestSite;
}

async function start(options = OPTIONS): Promise<Running> {
  const site = new TestSite(options);
  const port = await site.listen({ host: '127.0.0.1', hosts: 1, port: 0 });
  return { base: `http://127.0.0.1:${port}`, site };
}

const readJson = async (url: string) => JSON.parse(await (await fetch(url)).text());
const bodyOf = async (url: string, generation: number): Promise<string> =>
  (await fetch(url, { headers: { 'x-site-generation': String(generation) } })).text();

async function filterAsync<T>(items: readonly T[], holds: (item: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(items.map(holds));
  return items.filter((_, at) => kept[at]);
}

let running: Running;
let truth: SiteTruth;
let crawled: ReadonlyMap<string, Crawled>;
beforeAll(async () => {
  running = await start();
  truth = await readJson(`${running.base}/__site/truth`);
  crawled = await crawlPlainly(running.base);
});
afterAll(() => running.site.close());

describe('the truth of the test site', () => {
  it('names exactly the pages that a plain crawler finds by links, with their status and depth', () => {
    const linked = truth.pages.filter(({ reach, isAllowed }) => reach === 'links' && isAllowed);
    const expected = linked.map(({ path, status, depth }) => `${path} ${status} ${depth}`);
    const found = [...crawled].map(([path, { status, depth }]) => `${path} ${status} ${depth}`);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it('names exactly the pages that the sitemaps and the feed list', async () => {
    const files = [...(await bodyOf(`${running.base}/sitemap.xml`, 1)).matchAll(/<loc>([^<]+)<\/loc>/g)];
    expect(files.length).toBeGreaterThan(8);
    const listed = new Set<string>();
    for (let at = 0; at < truth.sitemaps.files; at += 1) {
      const path = `/sitemaps/part-${at}.xml${at % 2 === 1 ? '.gz' : ''}`;
      const bytes = new Uint8Array(await (await fetch(running.base + path)).arrayBuffer());
      const xml = path.endsWith('.gz')
        ? (await import('node:zlib')).gunzipSync(bytes).toString()
        : Buffer.from(bytes).toString();
      for (const [, url = ''] of xml.matchAll(/<loc>([^<]+)<\/loc>/g)) listed.add(new URL(url).pathname);
    }
    const feed = await bodyOf(`${running.base}/feed.xml`, 1);
    const inFeed = [...feed.matchAll(/<item>.*?<link>([^<]+)<\/link>/gs)].map(([, url = '']) => new URL(url).pathname);
    expect([...listed].toSorted()).toEqual(
      truth.pages
        .filter((page) => page.inSitemap)
        .map(({ path }) => path)
        .toSorted(),
    );
    expect(inFeed.toSorted()).toEqual(
      truth.pages
        .filter((page) => page.inFeed)
        .map(({ path }) => path)
        .toSorted(),
    );
  });

  it('has pages of every way to be found', () => {
    expect(new Set(truth.pages.map(({ reach }) => reach))).toEqual(
      new Set(['links', 'sitemap', 'feed', 'scripts', 'none']),
    );
  });

  it('names every page whose bytes differ between two generations, and no other', async () => {
    const changes: TrueChange[] = await readJson(`${running.base}/__site/changes?base=1&generation=2`);
    const named = new Map(changes.map(({ path, change }) => [path, change]));
    const pages = truth.pages.filter(({ kind }) => kind === 'page');
    const wrong: string[] = [];
    for (const { path } of pages) {
      const [before, after] = [await bodyOf(running.base + path, 1), await bodyOf(running.base + path, 2)];
      if ((before !== after) !== named.has(path)) wrong.push(path);
    }
    expect(wrong).toEqual([]);
    expect(new Set(named.values())).toEqual(new Set(['added', 'removed', 'modified', 'noise', 'links']));
  });
});

describe('the test site', () => {
  it('serves the same bytes for the same seed and others for another seed', async () => {
    const [again, other] = [await start(), await start({ ...OPTIONS, seed: 2 })];
    try {
      const stable = truth.pages.filter((page) => page.status === 200 && !page.isVolatile && page.kind !== 'flaky');
      const differing = (base: string): Promise<string[]> =>
        filterAsync(
          stable.map(({ path }) => path),
          async (path) => (await bodyOf(base + path, 1)) !== (await bodyOf(running.base + path, 1)),
        );
      expect(await differing(again.base)).toEqual([]);
      expect((await differing(other.base)).length).toBe(stable.length);
    } finally {
      again.site.close();
      other.site.close();
    }
  });

  it('answers 304 to a request with the ETag or the date of an unchanged page', async () => {
    const url = `${running.base}${truth.pages[1]?.path}`;
    const { headers } = await fetch(url);
    const statusWith = async (name: string, value: string) => (await fetch(url, { headers: { [name]: value } })).status;
    expect(await statusWith('if-none-match', headers.get('etag') ?? '')).toBe(304);
    expect(await statusWith('if-none-match', '"another"')).toBe(200);
    expect(await statusWith('if-modified-since', headers.get('last-modified') ?? '')).toBe(304);
    expect(await statusWith('if-modified-since', new Date(0).toUTCString())).toBe(200);
  });

  it('limits a section to its rate and counts requests before a Retry-After has passed', async () => {
    const { base, site } = await start({ ...OPTIONS, rate: 1 });
    try {
      const paths = truth.pages.filter(({ kind }) => kind === 'limited').map(({ path }) => path);
      const responses = await Promise.all(paths.slice(0, 3).map((path) => fetch(base + path)));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 429, 429]);
      expect(responses.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1');
      expect(await readJson(`${base}/__site/stats`)).toMatchObject({ limited429: 2, limitedTooSoon: 1 });
    } finally {
      site.close();
    }
  });

  it('counts requests for pages that robots.txt disallows, and repeated requests', async () => {
    const { base, site } = await start();
    try {
      const path = truth.pages.find(({ isAllowed }) => !isAllowed)?.path ?? '';
      await fetch(base + path);
      await fetch(base + path);
      expect(await readJson(`${base}/__site/stats`)).toMatchObject({ robotsViolations: 2, repeated: 1, requests: 2 });
      await fetch(`${base}/__site/reset`);
      expect(await readJson(`${base}/__site/stats`)).toMatchObject({ robotsViolations: 0, requests: 0 });
    } finally {
      site.close();
    }
  });

  it('leads ever further into each of its traps', async () => {
    for (const { entrance, pattern } of truth.traps) {
      const seen = new Set([entrance]);
      let path = entrance;
      for (let step = 0; step < 5; step += 1) {
        const links = [...(await bodyOf(running.base + path, 1)).matchAll(/href="([^"]+)"/g)];
        const inside = links
          .map(([, link = '']) => link.replaceAll('&amp;', '&'))
          .filter((link) => new RegExp(pattern).test(link));
        path = inside.find((link) => !seen.has(link)) ?? '';
        expect(path).not.toBe('');
        seen.add(path);
      }
    }
  });
});
